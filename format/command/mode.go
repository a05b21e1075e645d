package command

// mode is what is done in one call.
type mode string

const (
	tells    mode = "version"
	signs    mode = "sign"
	checks   mode = "check"
	snaps    mode = "snapshot"
	samples  mode = "samples"
	watches  mode = "watch"
	launches mode = "launch"
	opens    mode = "open"
	differs  mode = "diff"
	tops     mode = "top"
	gathers  mode = "several"
	surveys  mode = "system"
)

// mode tells what is asked for, by options that were checked.
func (o *options) mode() mode {
	switch {
	case o.version:
		return tells
	case o.sign:
		return signs
	case len(o.command) > 0:
		return launches
	case len(o.compared) > 0:
		return differs
	case o.file:
		return opens
	case o.foretells:
		return checks
	case o.system:
		return surveys
	case o.several(), o.follows && !o.watches() && !o.samples():
		return gathers
	}
	return o.liveMode()
}

// liveMode is the mode for a process that runs already.
func (o *options) liveMode() mode {
	switch {
	case o.top:
		return tops
	case o.watches():
		return watches
	case o.samples():
		return samples
	}
	return snaps
}
