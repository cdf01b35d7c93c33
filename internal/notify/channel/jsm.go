package channel

// jsm opens and closes alerts of Jira Service Management with the same key and bodies as Opsgenie
// (developer.atlassian.com/cloud/jira/service-desk-ops/rest/v1/api-group-integration-events). That an alert can be closed by
// its alias is documented only in jira.atlassian.com/browse/JSDCLOUD-14179.
func jsm() Kind {
	return Kind{
		Type: "JSM", Name: "Jira Service Management",
		About:   "Opens an operations alert when something fails and closes it on recovery; for errors, select the event resolved too. Informational events are not sent.",
		Options: []Option{opsKey(), opsPriority()},
		Make: func(t Tools, v Values) Sender {
			return opsSender{t, v, t.service("https://api.atlassian.com") + "/jsm/ops/integration/v2/alerts"}
		},
	}
}
