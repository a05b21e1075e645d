// Package stackshot reads XNU's stackshots: what the kernel itself tells of all threads
// of one process or of all, with the frames in the kernel and what each thread waits
// for.
//
// Layouts are those of osfmk/kern/kcdata.h of XNU (xnu-11417), where each structure
// grows at its end from version to version: fields that a version does not have are
// zero. The names behind the fields are the kernel's.
package stackshot
