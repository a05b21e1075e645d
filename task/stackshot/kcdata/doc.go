// Package kcdata reads and writes kcdata, the container in which XNU hands out
// stackshots and what it keeps of crashed processes: items of a type, a size and
// flags, one behind the other, some of which hold arrays or mark where a container
// begins and ends. The source of all layouts is osfmk/kern/kcdata.h of XNU.
package kcdata
