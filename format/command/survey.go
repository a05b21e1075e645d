package command

// survey reports on all processes, or on those that -p chooses, and stops none.
func (c *call) survey() error {
	group, err := c.surveyed()
	if err != nil {
		return err
	}
	if err := c.takeSeveral(group.Profiles); err != nil {
		return err
	}
	group.Tool = c.tool()
	return c.reportAll(&selection{group: *group})
}
