package sett

// ServerFigures are how much there is on a server, and how much waits.
type ServerFigures struct {
	Accounts, Users, Projects, Sites, CheckIns int64

	MailsWaiting      int64 // to be sent
	MailsGivenUp      int64 // tried for too long
	DeliveriesWaiting int64 // of alerts
}
