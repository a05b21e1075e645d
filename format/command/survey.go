package command

import "stacksnap/format/profile"

// survey reports on all processes, or on those that -p chooses, and stops none.
func (c *call) survey() error {
	profiles, err := c.surveyed()
	if err != nil {
		return err
	}
	if err := c.takeSeveral(profiles); err != nil {
		return err
	}
	return c.reportAll(&selection{group: profile.Group{Tool: c.tool(), Profiles: profiles}})
}
