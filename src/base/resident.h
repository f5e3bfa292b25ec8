/* Memory that was needed to start and is not needed to run. */
#pragma once

/* Gives back free heap, and the pages of programs and libraries that nothing has used since: the kernel maps them
 * again, from its page cache, as they are called. To be called once, when a daemon has come to its first rest. Any
 * thread. */
void el_resident_trim(void);
