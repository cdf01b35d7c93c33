package people

import "strings"

// actionArea is what some actions of the audit log belong to.
type actionArea struct {
	Name    string
	phrases []actionPhrase
}

// actionPhrase is what people do by some actions, separated by blanks; % stands for the name of the object, or of what was created.
type actionPhrase struct{ phrase, actions string }

var actionAreas = []actionArea{
	{"Errors", []actionPhrase{
		{"changed %", "updateFault changeFaultState assignFault tagFault changeFaults changeFaultsPage changeAllFaults"}, // or what sentFields.faultPhrase says
		{"deleted %", "deleteFault deleteFaultPage"},
		{"paused notifications of %", "pauseFault pauseFaultPage"},
		{"resumed notifications of %", "unpauseFault unpauseFaultPage"},
		{"resumed notifications of errors", "unpauseFaults"},
		{"resolved all errors that match a search", "resolveFaults"},
		{"followed %", "followFault"}, // or what sentFields.faultPhrase says
		{"linked an issue with %", "linkFault linkIssue"},
		{"unlinked the issue of %", "unlinkFault unlinkIssue"},
		{"asked for an issue about %", "createFaultIssue askForIssue"},
		{"closed the issue of %", "closeFaultIssue"},
		{"reopened the issue of %", "reopenFaultIssue"},
		{"merged % into another error", "mergeFault mergeFaultPage"},
		{"merged errors", "mergeFaultsPage"},
		{"split % off an error", "splitFault splitFaultPage"},
		{"made an error of its own of events of %", "separateFaultKey"},
		{"created a public link to %", "shareFault shareFaultPage"},
		{"revoked the public link to %", "unshareFault unshareFaultPage"},
		{"acknowledged a problem", "createAcknowledgement acknowledge acknowledgeByMail"},
		{"took an acknowledgement back", "deleteAcknowledgement takeBackAcknowledgement"},
		{"commented on %", "createComment addComment"},
		{"edited a comment on %", "updateComment editComment"},
		{"deleted a comment on %", "deleteComment removeComment"},
		{"undid the last change of errors", "undoFaults undoAllFaults"},
		{"saved the search %", "createSavedSearch saveSearch"},
		{"deleted the saved search %", "deleteSavedSearch deleteSearch"},
		{"created a dashboard", "createDashboard makeDashboard"},
		{"changed the dashboard %", "updateDashboard changeDashboard arrangeDashboard"},
		{"deleted the dashboard %", "deleteDashboard removeDashboard"},
		{"created a public link to the dashboard %", "shareDashboard"},
		{"revoked the public link to the dashboard %", "unshareDashboard"},
		{"saved a query of structured events", "saveQuery"},
		{"changed the saved query %", "changeQuery"},
		{"deleted the saved query %", "removeQuery"},
		{"chose columns of the list of errors", "chooseColumns chooseAllColumns"},
	}},
	{"Uptime and check-ins", []actionPhrase{
		{"created the site %", "createSite makeSite"},
		{"changed the site %", "updateSite changeSite"},
		{"deleted the site %", "deleteSite removeSite"},
		{"paused the site %", "pauseSite"},
		{"resumed the site %", "resumeSite"},
		{"checked the site % at once", "checkSite checkSiteNow"},
		{"created the check-in %", "createCheckIn makeCheckIn"},
		{"changed the check-in %", "updateCheckIn changeCheckIn"},
		{"replaced the check-ins by a list", "syncCheckIns"},
		{"deleted the check-in %", "deleteCheckIn removeCheckIn"},
		{"paused the check-in %", "pauseCheckIn pauseCheckInFor"},
		{"resumed the check-in %", "unpauseCheckIn endCheckInPause"},
		{"added the repository %", "createRepository addRepository"},
		{"changed the repository %", "updateRepository changeRepository"},
		{"removed the repository %", "deleteRepository removeRepository"},
		{"linked % with a change", "linkFaultCodeChange linkChange"},
		{"ended the link of % with a change", "unlinkFaultCodeChange unlinkChange"},
		{"created the alarm %", "createAlarm makeAlarm"},
		{"changed the alarm %", "updateAlarm changeAlarm"},
		{"deleted the alarm %", "deleteAlarm removeAlarm"},
		{"scheduled the maintenance window %", "createMaintenanceWindow startMaintenance"},
		{"changed the maintenance window %", "updateMaintenanceWindow changeMaintenance"},
		{"ended the maintenance window %", "endMaintenanceWindow endMaintenance"},
		{"deleted the maintenance window %", "deleteMaintenanceWindow removeMaintenance"},
		{"deleted the deploy %", "deleteDeploy"},
	}},
	{"Status pages", []actionPhrase{
		{"created the status page %", "createStatusPage makeStatusPage"},
		{"changed the status page %", "updateStatusPage putStatusPage saveStatusPage saveComponents"},
		{"deleted the status page %", "deleteStatusPage removeStatusPage"},
		{"set the state of the component %", "setComponentState"},
		{"changed the domain of the status page %", "saveDomain"},
		{"checked the domain of the status page %", "verifyDomain lookForDomain"},
		{"changed the logo of the status page %", "saveLogo"},
		{"removed the logo of the status page %", "removeLogo"},
		{"set a password for the status page %", "savePagePassword"},
		{"removed the password of the status page %", "removePagePassword"},
		{"removed a subscriber of the status page %", "deleteSubscriber removeSubscriber"},
		{"created a template of incidents of the status page %", "makeTemplate"},
		{"changed the template of incidents %", "saveTemplate"},
		{"deleted the template of incidents %", "removeTemplate"},
		{"reported the incident %", "createIncident makeIncident"},
		{"changed the incident %", "updateIncident saveIncident"},
		{"deleted the incident %", "deleteIncident removeIncident"},
		{"published an update of the incident %", "createIncidentUpdate makeUpdate createStatusUpdate"},
		{"edited an update of the incident %", "updateIncidentUpdate saveUpdate"},
		{"changed the post-mortem of the incident %", "savePostMortem"},
		{"deleted an update of the incident %", "deleteIncidentUpdate removeUpdate"},
	}},
	{"Project settings", []actionPhrase{
		{"added the channel %", "createIntegration addChannel"},
		{"changed the channel %", "updateIntegration saveChannel"},
		{"deleted the channel %", "deleteIntegration dropChannel"},
		{"turned off the channel %", "switchChannel"},
		{"sent a test to the channel %", "testIntegration tryChannel"},
		{"sent a message to the channel % again", "redeliver sendAgain"},
		{"added the environment %", "createEnvironment addEnvironment"},
		{"changed the environment %", "updateEnvironment saveEnvironment"},
		{"deleted the environment %", "deleteEnvironment dropEnvironment"},
		{"changed the scrubbing rules", "updateScrubbing saveScrubbing"},
		{"changed the ownership rules", "updateOwnership saveOwnership"},
		{"forwarded reports to another service", "setForwarding saveForwarding"},
		{"stopped forwarding reports", "stopForwarding dropForwarding"},
		{"changed the grouping rules", "updateGrouping saveGroupingRules"},
		{"undid the last change of the grouping rules", "undoGroupingRules"},
		{"erased the data of a user", "createErasure eraseUser"},
		{"deleted source maps", "deleteSourceMaps dropSourceMapRevision"},
		{"deleted a source map", "dropSourceMap deleteSourceMap"},
		{"created an API key", "createProjectKey addKey"},
		{"revoked an API key", "revokeProjectKey deleteProjectKey revokeKey"},
		{"changed what an API key may do", "updateProjectKey setKeyScope"},
		{"created the project %", "createProject makeProject"},
		{"changed the settings of the project", "updateProject saveProject saveData"},
		{"changed which teams have access", "saveProjectTeams"},
		{"deleted the project", "deleteProject dropProject"},
		{"sent a test event", "sendTestNotice"},
		{"dismissed the next steps", "closeGuide"},
	}},
	{"People and teams", []actionPhrase{
		{"created the team %", "createTeam addTeam"},
		{"renamed the team to %", "updateTeam renameTeam"},
		{"deleted the team", "deleteTeam dropTeam"},
		{"changed the role of % in the team", "updateTeamMember setTeamAdmin"},
		{"removed % from the team", "removeTeamMember removeMember"},
		{"invited % to the team", "createTeamInvitation inviteToTeam"},
		{"invited %", "createAccountInvitation invite createInvitation"},
		{"changed the invitation of %", "updateAccountInvitation updateTeamInvitation"},
		{"withdrew the invitation of %", "deleteAccountInvitation deleteTeamInvitation withdrawInvitation withdrawTeamInvitation"},
		{"sent the invitation of % again", "inviteAgain inviteToTeamAgain"},
		{"joined by an invitation", "acceptInvitation"},
		{"added the member %", "addAccountUser"},
		{"changed the role of %", "updateAccountUser giveRole"},
		{"removed the member %", "removeAccountUser removeUser"},
		{"added an email domain", "addMailDomain"},
		{"verified an email domain", "verifyMailDomain"},
		{"removed an email domain", "removeMailDomain"},
		{"created a token for the directory", "makeDirectoryToken"},
		{"revoked the token for the directory", "revokeDirectoryToken"},
		{"changed what people of the directory get", "saveDirectory"},
		{"mapped the group %", "mapGroup updateDirectoryGroup"},
		{"set the identity provider", "saveSAML"},
		{"turned off SAML", "dropSAML"},
		{"changed whether single sign-on is required", "requireSignOn"},
		{"signed in without the single sign-on of the account", "login loginCode passkeyLogin"},
		{"joined by single sign-on", "finishSAML"},
		{"changed % by the groups of the sign-in", "followSignIn"},
		{"added % to the directory", "scimCreateUser scimCreateGroup"},
		{"changed % in the directory", "scimReplaceUser scimPatchUser scimReplaceGroup scimPatchGroup"},
		{"removed % from the directory", "scimDeleteUser scimDeleteGroup"},
		{"created the account token %", "createAccountToken"},
		{"revoked an account token", "revokeAccountToken"},
		{"looked what there is to import", "lookForImport"},
		{"started an import", "startImport"},
		{"let an import go on", "continueImport"},
		{"stopped an import", "stopImport"},
		{"began to apply files", "holdConfiguration"},
		{"recorded what applied files made", "updateConfiguration"},
		{"created the account", "createAccount"},
		{"renamed the account to %", "updateAccount renameAccount"},
	}},
	{"Own account", []actionPhrase{
		{"changed their email notifications", "updatePersonalAlerts changeAlerts"},
		{"created the personal token %", "makeToken createToken"},
		{"connected the program %", "connectProgram answerProgram answerDevice"},
		{"disconnected the program %", "disconnectProgram"},
		{"revoked a personal token", "revokeToken"},
		{"changed their name", "renameUser updateUser"},
		{"changed their time zone", "chooseZone"},
		{"changed their password", "changePassword"},
		{"chose a new password by email", "reset"},
		{"added a passkey", "addPasskey"},
		{"removed a passkey", "removePasskey"},
		{"turned on two-factor authentication", "confirmFactor"},
		{"turned off two-factor authentication", "dropFactor"},
		{"created new recovery codes", "renewCodes"},
		{"signed out of all other sessions", "endOtherSessions"},
		{"ended a session", "endSession"},
		{"connected an identity provider", "connectOIDC"},
		{"downloaded a backup of the server", "downloadBackup"},
	}},
}

// actions returns the actions of an area.
func (a actionArea) actions() (all []string) {
	for _, p := range a.phrases {
		all = append(all, strings.Fields(p.actions)...)
	}
	return all
}

// phrases are those of all areas, by action.
var phrases = func() map[string]string {
	byAction := map[string]string{}
	for _, area := range actionAreas {
		for _, p := range area.phrases {
			for action := range strings.FieldsSeq(p.actions) {
				byAction[action] = p.phrase
			}
		}
	}
	return byAction
}()
