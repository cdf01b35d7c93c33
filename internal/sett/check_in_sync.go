package sett

// CheckInSync is what came of one check-in when those of a project were replaced by a list.
type CheckInSync struct {
	Operation CheckInOperation
	Slug      string
	Problem   string // why nothing was done; "" when it was
}

// CheckInOperation is what was done, or refused.
type CheckInOperation string

// The operations of the interface.
const (
	CreateCheckIn CheckInOperation = "create"
	UpdateCheckIn CheckInOperation = "update"
	DeleteCheckIn CheckInOperation = "delete"
)
