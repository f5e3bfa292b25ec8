/* A recorded machine: a folder that answers like the host it was taken from. `elementd capture DIR` writes one; by
 * hand, any subset will do, for every file may be missing.
 *
 *   sys/...                     text files and symlinks as the kernel shows them. Used: class/nvme,
 * class/nvme-subsystem, class/block, class/hwmon, bus/pci/devices, bus/pci/slots, and devices/ that they point to.
 *                               Without symlinks: class/nvme/nvmeN/address names the PCI function,
 * class/hwmon/hwmonN/device may be a folder. proc/diskstats              when the disks have no `stat` files
 *   nvme/nvmeN/identify.bin     Identify Controller, 4096 bytes
 *   nvme/nvmeN/identify-ns-N.bin  Identify Namespace N (decimal), 4096 bytes
 *   nvme/nvmeN/smart.bin        log page 02h, 512 bytes
 *   nvme/nvmeN/log-XX.bin       any other log page, XX in hexadecimal; read past its end gives zeros
 *   nvme/nvmeN/feature-XX.txt   dword 0 of Get Features XX (hexadecimal), as a number; where dword 11 is not 0
 *                               (thresholds of single sensors) feature-XX-DWORD11.txt, both hexadecimal
 *
 *   unfinished                  there as long as a capture is under way: such a folder is refused
 *
 * A text or page file that reads `!EIO` (or another errno name) stands for a read that fails so. A page that is missing
 * is answered with the NVMe status a drive gives for what it does not support. Nothing can be written. Files are read
 * at each call, so that a folder may change while it is watched. Not thread-safe; never blocks. */
#pragma once

#include "device/device.h"

#define EL_RECORDED_UNFINISHED "unfinished"

#define EL_NVME_STATUS_INVALID_FIELD 0x02  /* generic status, NVMe Base 2.0 figure 102 */
#define EL_NVME_STATUS_INVALID_LOG   0x109 /* command specific status 09h */
