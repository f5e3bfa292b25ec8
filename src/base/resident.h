/* Memory that was needed to start and is not needed to run. */
#pragma once

/* Gives back free heap and the pages of the program and its libraries; those still in use are mapped again from the
 * page cache on their next use. Call it once, when a daemon has finished starting. Any thread. */
void el_resident_trim(void);
