// Package fault contains the pages of errors: the list of a project's faults, a fault with its events, exports, and the page of
// a public link. It receives searches, forms and data that clients reported, and returns pages that show all of it as text, and
// redirects after each change. The rules about faults are in sett and store; this package only displays them. URLs that clients
// sent become links only if they are safe.
package fault

import (
	"embed"
	"maps"
	"slices"
	"strings"
	"time"

	"sett/internal/event/payload"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/sett/triage"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/web"
	"sett/internal/web/highlight"
)

//go:embed page/*.html part/*.html
var templates embed.FS

// pages are the pages of this package.
type pages struct {
	*web.Pages
	counted web.Kept[countedKey, searchdb.Facets]
	users   web.Kept[string, countedUsers]             // by keyOf
	known   web.Kept[string, map[string]*payload.User] // the same
	newest  web.Kept[string, map[string]*payload.User] // by faultView.asOf
	reasons web.Kept[string, triage.FaultExplanation]  // the same
	days    web.Kept[string, faultdb.UserDays]         // the same
	traces  web.Kept[string, []searchdb.UserFault]     // by user, event and faultView.asOf
	source  *highlight.Highlighter
}

// Area returns the pages of this package.
func Area(frame *web.Pages) web.Area {
	p := &pages{Pages: frame, source: &highlight.Highlighter{Now: time.Now}}
	p.counted.Log, p.users.Log, p.known.Log = frame.Log, frame.Log, frame.Log
	return web.Area{Routes: p.routes(), Templates: templates, Done: allDone()}
}

const (
	listPath  = "/projects/{project_id}/faults"
	faultPath = listPath + "/{fault_id}"
)

// routes returns all pages and forms of this package.
func (p *pages) routes() []serve.Route {
	return slices.Concat([]serve.Route{
		web.Get(listPath, "faultsPage", accounts.ReadProject, p.listPage, "The faults that match a search."),
		web.Get(listPath+"/suggestions", "faultSuggestions", accounts.ReadProject, p.suggestions, "What completes a term of the search box, as a JSON array."),
		web.Stream(listPath+"/live", "faultsLive", accounts.ReadProject, p.live, "How many of them have new events since the list was rendered."),
		web.Post(listPath+"/bulk", "changeFaultsPage", accounts.WorkFaults, p.changeMany, "Change many faults; deleting asks for confirmation."),
		web.Get(listPath+"/environments", "faultEnvironmentsPage", accounts.ReadProject, p.comparePage, "The faults of a project with its environments side by side."),
		web.Post(listPath+"/columns", "chooseColumns", accounts.ReadProject, p.chooseColumns, "Choose the columns of the list, for oneself."),
		web.Post(listPath+"/undo", "undoFaults", accounts.WorkFaults, p.undo, "Undo the last resolving, ignoring or merging of faults."),
		web.Post(listPath+"/searches", "saveSearch", accounts.ReadProject, p.saveSearch, "Save a search."),
		web.Post(listPath+"/searches/{search_id}/delete", "deleteSearch", accounts.ReadProject, p.deleteSearch, "Delete a search."),

		web.Get(everyPath, "allFaultsPage", accounts.SignedIn, p.listPage, "The faults of all projects that the viewer can see, as far as they match a search."),
		web.Post(everyPath+"/bulk", "changeAllFaults", accounts.SignedIn, p.changeMany, "Change many faults of several projects; in the audit log this is changeFaultsPage in each of them."),
		web.Post(everyPath+"/columns", "chooseAllColumns", accounts.SignedIn, p.chooseColumns, "Choose the columns of the lists, for oneself."),
		web.Post(everyPath+"/undo", "undoAllFaults", accounts.SignedIn, p.undo, "Undo the last change of faults of several projects; in the audit log this is undoFaults in each of them."),

		web.Get(faultPath, "faultPage", accounts.ReadProject, p.faultOrExport, "A fault with one of its events; with .md, .txt or .json after the ID, the event as Markdown, its backtrace, or the event as JSON."),
		web.Get(faultPath+"/notices", "noticesPage", accounts.ReadProject, p.noticesPage, "The events of a fault."),
		web.Get(faultPath+"/next", "nextFault", accounts.ReadProject, p.nextPage, "Redirects to the next fault of the list that this one was opened from: ?at= is the place in it."),
		web.Get(faultPath+"/previous", "previousFault", accounts.ReadProject, p.previousPage, "Redirects to the fault before."),
		web.Stream(faultPath+"/live", "faultLive", accounts.ReadProject, p.liveFault, "The state and the counts of a fault, when they change."),
		web.Get(faultPath+"/users", "faultUsersPage", accounts.ReadProject, p.usersPage, "The affected users of a fault."),
		web.Get(faultPath+"/{notice_id}", "noticeAddress", accounts.ReadProject, p.eventOfFault, "Redirects to an event on the page of its error: the URL in API responses, webhooks and emails."),
		web.Get(attachmentPath, "downloadAttachment", accounts.ReadProject, p.download, "Download a file that was sent with an event."),
		web.Get(web.AffectedUserPath, "affectedUserPage", accounts.SignedIn, p.userFaultsPage, "The errors of an affected user in all projects that the viewer can see: ?user= is an ID, email address or name."),
		web.Get("/notice/{notice_id}", "noticePage", accounts.SignedIn, p.eventAnywhere, "Redirects to an event by its ID: the URL that clients print after a report."),
		web.Get("/share/{token}", "sharedFaultPage", accounts.Public, p.shared, "What a public link shows of a fault."),

		web.Post(faultPath+"/state", "changeFaultState", accounts.WorkFaults, p.changeState, "Resolve, reopen or ignore a fault, or have the next deploy resolve it."),
		web.Post(faultPath+"/assign", "assignFault", accounts.WorkFaults, p.assign, "Assign a fault."),
		web.Post(faultPath+"/follow", "followFault", accounts.WorkFaults, p.follow, "Follow a fault, or unfollow it, for oneself."),
		web.Post(faultPath+"/tags", "tagFault", accounts.WorkFaults, p.tag, "Add tags to a fault, or remove one."),
		web.Post(faultPath+"/pause", "pauseFaultPage", accounts.WorkFaults, p.pause, "Pause notifications of a fault."),
		web.Post(faultPath+"/unpause", "unpauseFaultPage", accounts.WorkFaults, p.unpause, "End the pause."),
		web.Post(faultPath+"/delete", "deleteFaultPage", accounts.WorkFaults, p.remove, "Delete a fault and its events."),
		web.Post(faultPath+"/issue", "askForIssue", accounts.WorkFaults, p.askIssue, "Create, close or reopen an issue in a tracker."),
		web.Post(faultPath+"/link", "linkIssue", accounts.WorkFaults, p.linkIssue, "Link a fault to an existing issue."),
		web.Post(faultPath+"/unlink", "unlinkIssue", accounts.WorkFaults, p.unlinkIssue, "Unlink an issue."),
		web.Post(faultPath+"/changes", "linkChange", accounts.WorkFaults, p.linkChange, "Link a fault to a pull or merge request by its address."),
		web.Post(faultPath+"/changes/unlink", "unlinkChange", accounts.WorkFaults, p.unlinkChange, "Unlink one."),
		web.Get(faultPath+"/merge", "chooseMerge", accounts.WorkFaults, p.mergePage, "The errors that a fault can be merged into, the most similar ones first, or those that match ?find=."),
		web.Post(faultPath+"/merge", "mergeFaultPage", accounts.WorkFaults, p.merge, "Merge a fault into another."),
		web.Get(faultPath+"/grouping", "faultGroupingPage", accounts.ReadProject, p.groupingPage, "Which part of an event decided its group, by which rule, and how the fault went on: ?notice= is the event, the newest without it."),
		web.Post(faultPath+"/separate", "separateFaultKey", accounts.WorkFaults, p.separate, "Make a fault of its own of events that went on with another."),
		web.Post(faultPath+"/split", "splitFaultPage", accounts.WorkFaults, p.split, "Split a merged fault off again."),
		web.Post(faultPath+"/share", "shareFaultPage", accounts.WorkFaults, p.makeShare, "Create a public link to a fault."),
		web.Post(faultPath+"/unshare", "unshareFaultPage", accounts.WorkFaults, p.endShare, "Revoke the public link."),
		web.Post(faultPath+"/comments", "addComment", accounts.WorkFaults, p.addComment, "Write a comment."),
		web.Post(faultPath+"/comments/{comment_id}/edit", "editComment", accounts.WorkFaults, p.editComment, "Change a comment."),
		web.Post(faultPath+"/comments/{comment_id}/delete", "removeComment", accounts.WorkFaults, p.removeComment, "Delete a comment."),
	},
		p.Exports(listPath, "faults", accounts.ReadProject, p.exportFaults, "The same faults"),
		p.Exports(everyPath, "allFaults", accounts.SignedIn, p.exportFaults, "The same faults of all projects"),
		p.Exports(listPath+"/environments", "faultEnvironments", accounts.ReadProject, p.exportComparison, "The faults of a project by environment"),
		p.Exports(faultPath+"/notices", "notices", accounts.ReadProject, p.exportNotices, "The events of a fault"),
		p.Exports(faultPath+"/users", "faultUsers", accounts.ReadProject, p.exportUsers, "The affected users of a fault"),
		p.Exports(web.AffectedUserPath, "affectedUser", accounts.SignedIn, p.exportUserFaults, "The errors of an affected user"),
	)
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"resolved":          "Resolved. It reopens if it happens again.",
	"resolved_in":       "Resolved in that release. It reopens if it happens in it or a later one.",
	"resolved_next":     "Previous error resolved. It reopens if it happens again.",
	"resolved_last":     "Resolved. That was the last error of this list.",
	"list_end":          "That was the last error of this list.",
	"list_start":        "That was the first error of this list.",
	"reopened":          "Marked as unresolved.",
	"ignored":           "Ignored. Further events are discarded.",
	"unignored":         "No longer ignored.",
	"on_deploy":         "The next deploy to its environment will resolve it.",
	"not_on_deploy":     "The next deploy to its environment will not resolve it.",
	"assigned":          "Assigned.",
	"unassigned":        "Unassigned.",
	"followed":          "You follow this error. You get its news by email.",
	"unfollowed":        "You no longer follow this error. You get only mentions and assignments to you.",
	"tagged":            "Tags added.",
	"untagged":          "Tag removed. An event with this tag adds it again.",
	"paused":            "Paused. No notifications are sent.",
	"unpaused":          "No longer paused.",
	"fault_deleted":     "Error deleted. If it happens again, it appears as a new error.",
	"asked_issue":       "Request queued. The issue appears here when the tracker has responded.",
	"linked":            "Issue linked.",
	"unlinked":          "Issue unlinked. The issue itself was not changed.",
	"change_linked":     "Pull request linked. A deploy that contains it resolves the error.",
	"change_unlinked":   "Unlinked. If its text names this error, its next webhook links it again.",
	"merged":            "Merged. This error now includes both.",
	"merged_parts":      "Merged. This error now includes both, with their earlier merges.",
	"split":             "Split off. This is a separate error again.",
	"separated":         "This is a separate error now. Later events of this kind come here. Stored events stay with the other error.",
	"unshared":          "Public link revoked.",
	"search_saved":      "Search saved.",
	"search_deleted":    "Search deleted.",
	"bulk_resolved":     "Errors resolved.",
	"bulk_reopened":     "Errors reopened.",
	"bulk_ignored":      "Errors ignored.",
	"bulk_unignored":    "Errors no longer ignored.",
	"bulk_assigned":     "Assignee changed.",
	"bulk_paused":       "Errors paused.",
	"bulk_unpaused":     "Errors no longer paused.",
	"bulk_tagged":       "Tags added.",
	"bulk_untagged":     "Tags removed.",
	"bulk_merged":       "Errors merged into one.",
	"bulk_merged_parts": "Errors merged into one, with their earlier merges. You can split them off on its page.",
	"bulk_merged_some":  "Errors merged into one, except those that no longer exist.",
	"bulk_deleted":      "Errors deleted.",
	bulkDeleting:        "Errors deleted.",
	"undone":            "Undone.",
	"undone_some":       "Undone, except for errors that have changed since.",
	"undone_nothing":    "Nothing to undo.",
	"comment_changed":   "Comment updated.",
	"commented":         "Comment added.",
	"comment_deleted":   "Comment deleted.",
}

// allDone returns doneTexts, and the messages for bulk changes that skipped some errors.
func allDone() map[string]string {
	all := maps.Clone(doneTexts)
	for _, word := range append(slices.Collect(maps.Values(bulkDone)), bulkDeleting) {
		all[word+"_some"] = strings.TrimSuffix(doneTexts[word], ".") + ", except those that changed since the list was loaded. Review them again."
	}
	return all
}
