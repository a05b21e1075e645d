// Package stackshot reads XNU's stackshots: the kernel's own description of all
// threads of one process or of all, with their frames, including those in the kernel,
// and what each thread waits for.
//
// Layouts are those of osfmk/kern/kcdata.h of XNU (xnu-11417), where each structure
// grows at its end from version to version; fields that a version lacks are zero. The
// names after the fields are the kernel's.
package stackshot
