package cli

// Mode is the kind of work that a call does.
type Mode string

const (
	ModeVersion  Mode = "version"
	ModeSign     Mode = "sign"
	ModeCheck    Mode = "check"
	ModeSnapshot Mode = "snapshot"
	ModeSamples  Mode = "samples"
	ModeWatch    Mode = "watch"
	ModeLaunch   Mode = "launch"
	ModeOpen     Mode = "open"
	ModeDiff     Mode = "diff"
	ModeTop      Mode = "top"
	ModeSeveral  Mode = "several"
	ModeSystem   Mode = "system"
)

// Mode returns the kind of work that checked options ask for.
func (o *Options) Mode() Mode {
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

// LiveMode returns the kind of work that the options ask for with a running process.
func (o *Options) LiveMode() Mode {
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
