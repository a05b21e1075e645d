// Package users looks up the names of this system's users.
package users
