// Package hostile holds the tests that attack stacksnap as the people around a
// production machine could, by intent or by accident: users who swap what it
// writes, mounts that do not answer, servers that never end, documents that
// inflate, targets with very many threads or signals of their own. None may leave
// a target stopped, hang past the limit of its run, take over 200 MB, or have root
// write where nobody asked it to. Nor may it say anything untrue of a short command on a
// machine that is kept busy.
//
// They need root and Linux, take minutes, and are run by .ci/run and before a
// release:
//
//	go test -count=1 -tags hostile ./scripts/hostile
package hostile
