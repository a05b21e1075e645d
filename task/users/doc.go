// Package users names the users of this system.
package users
