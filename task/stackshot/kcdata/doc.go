// Package kcdata reads and writes kcdata, the container format of XNU's stackshots
// and of what the kernel saves of crashed processes: a sequence of items with a type,
// a size and flags. Some items are arrays, or mark the start and end of a container.
// All layouts are from osfmk/kern/kcdata.h of XNU.
package kcdata
