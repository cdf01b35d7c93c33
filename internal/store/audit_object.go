package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// auditObject reads what a kind of object is called. Its statement returns one or two texts: a name, or a class and a message.
type auditObject struct {
	key       string // of its id in a path
	read      func(id string) (any, error)
	statement string
}

// auditObjects are the kinds of objects that the audit log names, the innermost first: a comment belongs to a fault.
var auditObjects = []auditObject{
	{"acknowledgement_id", number, `-- store.auditAcknowledgement
SELECT name, '' FROM acknowledgements WHERE id = $1`},
	{"fault_id", number, `-- store.auditFault
SELECT class, message FROM faults WHERE id = $1`},
	{"repository_id", number, `-- store.auditRepository
SELECT url, '' FROM repositories WHERE id = $1`},
	{"site_id", uuid, `-- store.auditSite
SELECT name, '' FROM sites WHERE uuid = $1`},
	{"check_in_id", text, `-- store.auditCheckIn
SELECT coalesce(nullif(name, ''), slug), '' FROM check_ins WHERE id = $1`},
	{"alarm_id", text, `-- store.auditAlarm
SELECT name, '' FROM alarms WHERE id = $1`},
	{"incident_id", number, `-- store.auditIncident
SELECT name, '' FROM status_incidents WHERE id = $1`},
	{"template_id", number, `-- store.auditTemplate
SELECT name, '' FROM status_templates WHERE id = $1`},
	{"status_component_id", number, `-- store.auditStatusComponent
SELECT coalesce(nullif(c.display_name, ''), s.name, nullif(ci.name, ''), ci.slug, ''), '' FROM status_components c
LEFT JOIN sites s ON s.id = c.site_id LEFT JOIN check_ins ci ON ci.number = c.check_in WHERE c.id = $1`},
	{"status_page_id", text, `-- store.auditStatusPage
SELECT name, '' FROM status_pages WHERE id = $1`},
	{"integration_id", number, `-- store.auditIntegration
SELECT type, '' FROM integrations WHERE id = $1`},
	{"environment_id", number, `-- store.auditEnvironment
SELECT name, '' FROM environments WHERE id = $1`},
	{"deploy_id", number, `-- store.auditDeploy
SELECT revision, '' FROM deploys WHERE id = $1`},
	{"window_id", number, `-- store.auditWindow
SELECT reason, '' FROM maintenance_windows WHERE id = $1`},
	{"search_id", number, `-- store.auditSearch
SELECT name, '' FROM saved_searches WHERE id = $1`},
	{"dashboard_id", text, `-- store.auditDashboard
SELECT title, '' FROM dashboards WHERE id = $1`},
	{"invitation_id", number, `-- store.auditInvitation
SELECT email, '' FROM invitations WHERE id = $1`},
	{"user_id", number, auditUser},
	{"member_id", number, auditUser},
	{"group_id", text, `-- store.auditDirectoryGroup
SELECT name, '' FROM directory_groups WHERE id = $1`},
}

const auditUser = `-- store.auditUser
SELECT coalesce(nullif(name, ''), email), '' FROM users WHERE id = $1`

func number(id string) (any, error) { return strconv.ParseInt(id, 10, 64) }

func text(id string) (any, error) { return id, nil }

func uuid(id string) (any, error) {
	u, err := sett.ParseUUID(id)
	return u[:], err
}

// nameObject returns what the innermost object with one of these ids is called; "" if there is none, or none that has a name.
func (s *Store) nameObject(ctx context.Context, t *db.Tx, target map[string]string) (string, error) {
	for _, o := range auditObjects {
		id, ok := target[o.key]
		if !ok {
			continue
		}
		key, err := o.read(id)
		if err != nil {
			return "", nil //nolint:nilerr // no object has such an id, and the change says so
		}
		var said faults.Said
		err = t.QueryRowContext(ctx, s.DB.Text(o.statement), key).Scan(&said.Class, &said.Message)
		if errors.Is(err, sql.ErrNoRows) {
			return "", nil
		}
		return said.Title(), err
	}
	return "", nil
}
