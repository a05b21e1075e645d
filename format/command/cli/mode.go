package cli

// mode is what is done in one call.
type mode string

const (
	ModeVersion  mode = "version"
	ModeSign     mode = "sign"
	ModeCheck    mode = "check"
	ModeSnapshot mode = "snapshot"
	ModeSamples  mode = "samples"
	ModeWatch    mode = "watch"
	ModeLaunch   mode = "launch"
	ModeOpen     mode = "open"
	ModeDiff     mode = "diff"
	ModeTop      mode = "top"
	ModeSeveral  mode = "several"
	ModeSystem   mode = "system"
)

// Mode tells what is asked for, by options that were checked.
func (o *Options) Mode() mode {
	switch {
	case o.version:
		return ModeVersion
	case o.sign:
		return ModeSign
	case len(o.Command) > 0:
		return ModeLaunch
	case len(o.Compared) > 0:
		return ModeDiff
	case o.file:
		return ModeOpen
	case o.Check:
		return ModeCheck
	case o.System:
		return ModeSystem
	case o.several(), o.FollowWaits && !o.Watches() && !o.Samples():
		return ModeSeveral
	}
	return o.LiveMode()
}

// LiveMode is the mode for a process that runs already.
func (o *Options) LiveMode() mode {
	switch {
	case o.top:
		return ModeTop
	case o.Watches():
		return ModeWatch
	case o.Samples():
		return ModeSamples
	}
	return ModeSnapshot
}
