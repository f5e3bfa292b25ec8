#include "base/resident.h"

#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Only what is mapped read-only from a file: a segment that was ever writable may hold relocations, which would be
 * lost. */
static int drop_object(struct dl_phdr_info *info, size_t size, void *page)
{
    uintptr_t mask = *(const uintptr_t *)page - 1;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = (info->dlpi_addr + p->p_vaddr) & ~mask, to = info->dlpi_addr + p->p_vaddr + p->p_filesz;

        if (p->p_type == PT_LOAD && !(p->p_flags & PF_W) && to > from)
            (void)madvise((void *)from, to - from, MADV_DONTNEED); /* refused where pages are locked: they stay */
    }
    return 0;
}

void el_resident_trim(void)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    malloc_trim(0);
    dl_iterate_phdr(drop_object, &page);
}
