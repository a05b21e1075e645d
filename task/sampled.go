package task

import "bytes"

// keep takes over a capture. If it equals the last one, keep only marks the thread as the same;
// else it copies. A capture with an error is never the same as another.
func (k *sampled) keep(t *Thread, w *Snapshot) {
	k.limit, k.want = w.limitOf(k.ID), append(k.want[:0], w.Want[k.ID]...)
	k.Same = k.have && t.Err == nil && k.equals(t)
	k.Kernel = t.Kernel
	k.Err, k.Unstopped, k.Skipped, k.Call, k.Age, k.Later = t.Err, t.Unstopped, t.Skipped, t.Call, t.Age, t.Later
	k.Probe.keep(&t.Probe)
	if t.State == Stopped { // as seen in the stop
		k.State = Stopped
	}
	if k.Same {
		return
	}
	k.Registers = t.Registers
	k.keepChains(t.Chains)
	k.Stacks = k.Stacks[:0]
	for i := range t.Stacks {
		st := t.Stacks[i]
		k.own[i] = append(k.own[i][:0], st.Bytes...)
		st.Bytes = k.own[i]
		k.Stacks = append(k.Stacks, st)
	}
	k.have = t.Err == nil
}

// keepChains takes over chains. Only threads that have some get room for them.
func (k *sampled) keepChains(chains []CopiedChain) {
	if k.chains == nil {
		if len(chains) == 0 {
			return
		}
		k.chains = new(chainRoom)
	}
	k.Chains = k.chains.keep(chains)
}

// fail records that the thread could not be captured, and why.
func (k *sampled) fail(err error) {
	k.Err, k.have, k.Same, k.Unstopped = err, false, false, false
	k.Registers, k.Stacks, k.Kernel, k.Chains = Registers{}, k.Stacks[:0], nil, nil
	k.Probe.clear()
}

// equals reports whether a capture equals the one that is kept. It compares registers because
// any of them may be needed to find a caller's frame, and mappings because the same address may
// now be in other code.
func (k *sampled) equals(t *Thread) bool {
	if k.Registers != t.Registers || !k.Probe.equals(&t.Probe) || len(k.Stacks) != len(t.Stacks) || !k.sameKernel(t.Kernel) || !sameChains(k.Chains, t.Chains) {
		return false
	}
	for i := range t.Stacks {
		a, b := &k.Stacks[i], &t.Stacks[i]
		if a.Base != b.Base || a.Top != b.Top || !bytes.Equal(a.Bytes, b.Bytes) {
			return false
		}
	}
	return true
}
