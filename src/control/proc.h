/* What the kernel says of this process. */
#pragma once

#include "model/snapshot.h"

/* Memory, descriptors, threads and CPU time of this process; what cannot be read stays as it was. */
void el_proc_self(struct el_daemon *d);
