package store

import (
	"sett/internal/store/account"
	"sett/internal/store/delivery"
	"sett/internal/store/fault"
	"sett/internal/store/intake"
	"sett/internal/store/outbox"
	"sett/internal/store/status"
	"sett/internal/store/uptime"
)

// Names of the packages below store, for callers that use the whole store.
type (
	AffectedUser        = fault.AffectedUser
	AgentUpload         = uptime.AgentUpload
	AuditFilter         = account.AuditFilter
	BulkOutcome         = fault.BulkOutcome
	CertificateFile     = account.CertificateFile
	ClaimedDelivery     = delivery.ClaimedDelivery
	ClaimedDomain       = status.ClaimedDomain
	ClaimedMail         = outbox.ClaimedMail
	ClaimedStatusNotice = status.ClaimedStatusNotice
	DeliveryResult      = delivery.DeliveryResult
	DeployFilter        = fault.DeployFilter
	FaultChoice         = fault.FaultChoice
	FaultFilter         = fault.FaultFilter
	FaultOrder          = fault.FaultOrder
	FaultPage           = fault.FaultPage
	IncidentFilter      = status.IncidentFilter
	IncidentState       = status.IncidentState
	Intake              = intake.Intake
	Inviting            = account.Inviting
	NewPassword         = account.NewPassword
	NewUser             = account.NewUser
	NoticePage          = fault.NoticePage
	Packed              = fault.Packed
	Packer              = fault.Packer
	PassedTry           = account.PassedTry
	PingReport          = uptime.PingReport
	ProjectAlerts       = delivery.ProjectAlerts
	ProjectFilter       = account.ProjectFilter
	Setup               = account.Setup
	SetupResult         = account.SetupResult
	ShownIncident       = status.ShownIncident
	SpanFilter          = uptime.SpanFilter
	StatusDirectory     = status.StatusDirectory
	StatusEntry         = status.StatusEntry
	StatusNoticeResult  = status.StatusNoticeResult
	StatusQueue         = status.StatusQueue
	TeamFilter          = account.TeamFilter
	TimelineFilter      = fault.TimelineFilter
	TryKey              = account.TryKey
	UnsearchedFilter    = delivery.UnsearchedFilter
)

const (
	AlertRaised       = outbox.AlertRaised
	AnyIncident       = status.AnyIncident
	ByCreation        = fault.ByCreation
	DeliveryDue       = delivery.DeliveryDue
	FaultsDeleted     = fault.FaultsDeleted
	Frequent          = fault.Frequent
	MailQueued        = outbox.MailQueued
	MostAffectedUsers = fault.MostAffectedUsers
	MostBytesInBundle = fault.MostBytesInBundle
	MostCountedUsers  = fault.MostCountedUsers
	MostInBundle      = fault.MostInBundle
	MostNewer         = fault.MostNewer
	OpenIncident      = status.OpenIncident
	PastIncident      = status.PastIncident
	Recent            = fault.Recent
	SitesChanged      = uptime.SitesChanged
	StatusChanged     = status.StatusChanged
	StatusDomainDue   = status.StatusDomainDue
	StatusTold        = status.StatusTold
)

var (
	CertificateLease  = account.CertificateLease
	Uncounted         = account.Uncounted
	WithAudit         = account.WithAudit
	WithPersonalAudit = account.WithPersonalAudit
)
