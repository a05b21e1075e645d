package task

import "bytes"

// keep takes over a capture: by marking the thread the same as before when it
// is, else by copying. Where a copy was not made for lack of a stop, or there are
// no registers, nothing can be said of sameness.
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

// keepChains takes over chains: there is room for them in those threads alone that have some.
func (k *sampled) keepChains(chains []CopiedChain) {
	if k.chains == nil {
		if len(chains) == 0 {
			return
		}
		k.chains = new(chainRoom)
	}
	k.Chains = k.chains.keep(chains)
}

// fail notes that the thread could not be captured, and why.
func (k *sampled) fail(err error) {
	k.Err, k.have, k.Same, k.Unstopped = err, false, false, false
	k.Registers, k.Stacks, k.Kernel, k.Chains = Registers{}, k.Stacks[:0], nil, nil
	k.Probe.clear()
}

// equals compares a capture with the one that is kept. The registers decide too:
// a caller's frame may be found by any of them. So does what was mapped: the same
// address may be in other code.
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
