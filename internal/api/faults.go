package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
)

// Where faults are, and one of them.
const (
	faultsPath = "/v2/projects/{project_id}/faults"
	faultPath  = faultsPath + "/{fault_id}"
)

func (a *API) faultRoutes() []serve.Route {
	const tag = "Faults"
	return append([]serve.Route{
		{
			Method: "GET", Path: faultsPath, Name: "listFaults", Tag: tag, Permission: accounts.ReadProject,
			Query: faultListQuery{}, Result: FaultList{}, PageSize: serve.ShortPage, Handle: a.listFaults,
			Doc: "List the faults of a project that match a search, newest first or in the given order.",
		},
		{
			Method: "GET", Path: faultsPath + "/summary", Name: "summarizeFaults", Tag: tag, Permission: accounts.ReadProject,
			Query: faultQuery{}, Result: FaultSummary{}, Handle: a.summarizeFaults,
			Doc: "Count the faults that match a search, by environment and state.",
		},
		a.faultSuggestionRoute(),
		{
			Method: "GET", Path: faultPath, Name: "getFault", Tag: tag, Permission: accounts.ReadProject,
			Result: FaultDetail{}, Handle: a.getFault,
			Doc: "Get a fault with its issues.",
		},
		{
			Method: "GET", Path: faultPath + "/occurrences", Name: "listFaultOccurrences", Tag: tag, Permission: accounts.ReadProject,
			Query: faultOccurrencesQuery{}, Result: [][2]int64{}, Handle: a.listFaultOccurrences,
			Doc: "Count the notices of a fault over time. Each row has a Unix time and a count.",
		},
		{
			Method: "GET", Path: faultPath + "/affected_users", Name: "listAffectedUsers", Tag: tag, Permission: accounts.ReadProject,
			Query: affectedUsersQuery{}, Result: []AffectedUser{}, Handle: a.listAffectedUsers,
			Doc: "List the affected users of a fault, most affected first, at most 10,000.",
		},
	}, slices.Concat(a.faultChangeRoutes(), a.faultBulkRoutes(), a.faultMergeRoutes(), a.faultShareRoutes(), a.faultIssueRoutes())...)
}

// Fault is a fault as the contract shows one.
type Fault struct {
	ID                  int64        `json:"id"`
	ProjectID           int64        `json:"project_id"`
	Klass               string       `json:"klass" doc:"Class of the error."`
	Message             string       `json:"message" doc:"Message of the first notice."`
	Component           *string      `json:"component" doc:"Component of the program, such as a controller."`
	Action              *string      `json:"action"`
	Environment         string       `json:"environment"`
	Assignee            *sett.Person `json:"assignee" doc:"Null for none, and for a fault that is assigned to a team."`
	CommentsCount       int64        `json:"comments_count"`
	NoticesCount        int64        `json:"notices_count" doc:"Number of all notices, including those deleted after the retention period."`
	NoticesCountInRange *int64       `json:"notices_count_in_range,omitempty" doc:"Number of notices that match the search; only if the search selects notices."`
	Resolved            bool         `json:"resolved"`
	ResolvedIn          *string      `json:"resolved_in" doc:"Version of the release in which the fault is resolved: notices of releases named before it do not reopen it. Null if it is resolved in none, or open."`
	Ignored             bool         `json:"ignored" doc:"If true, further notices are discarded."`
	ResolveOnDeploy     bool         `json:"resolve_on_deploy" doc:"If true, the next deploy to its environment resolves the fault, as does one that names no environment."`
	Paused              bool         `json:"paused" doc:"If true, recurrences send no notifications for a time."`
	Tags                []string     `json:"tags"`
	CreatedAt           time.Time    `json:"created_at"`
	LastNoticeAt        *time.Time   `json:"last_notice_at"`
	URL                 string       `json:"url" doc:"Its page."`
}

func (a *API) viewFault(f faults.Fault) Fault {
	if f.Assignee.IsTeam() {
		f.Assignee = nil
	}
	return Fault{
		ID: f.ID, ProjectID: f.ProjectID, Klass: f.Class, Message: f.Message, Component: nullText(f.Component),
		Action: nullText(f.Action), Environment: f.Environment, Assignee: f.Assignee, CommentsCount: f.CommentsCount,
		NoticesCount: f.NoticesCount, NoticesCountInRange: f.InRange, Resolved: f.Resolved, ResolvedIn: nullText(f.ResolvedIn), Ignored: f.Ignored,
		ResolveOnDeploy: f.ResolveOnDeploy, Paused: f.Paused(a.Now(), f.NoticesCount), Tags: orEmpty(f.Tags), CreatedAt: f.CreatedAt,
		LastNoticeAt: nullTime(f.LastNoticeAt), URL: a.faultURL(f.ProjectID, f.ID),
	}
}

// faultURL is the address of a fault's page.
func (a *API) faultURL(projectID, faultID int64) string {
	return a.BaseURL + "/projects/" + strconv.FormatInt(projectID, 10) + "/faults/" + strconv.FormatInt(faultID, 10)
}

// nullText is how the interface writes a text that may not be there.
func nullText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// faultQuery says which faults are meant.
type faultQuery struct {
	Q              string    `query:"q" doc:"A search, such as environment:production -is:resolved. A misspelt key is refused; quotes make it plain text."`
	CreatedAfter   timeParam `query:"created_after" doc:"Only faults created at or after this time; Unix seconds or RFC 3339."`
	OccurredAfter  timeParam `query:"occurred_after" doc:"Only faults with notices at or after this time; Unix seconds or RFC 3339."`
	OccurredBefore timeParam `query:"occurred_before" doc:"Only faults with notices before this time; Unix seconds or RFC 3339."`
}

// faultListQuery says which faults are listed, and how they are sorted.
type faultListQuery struct {
	faultQuery
	Order string `query:"order" enum:"recent,frequent" doc:"recent: last occurred first; frequent: most notices first. Default: newest first."`
}

// FaultList is a page of faults, with the number of all that match.
type FaultList struct {
	serve.List[Fault]
	Total       int64 `json:"total" doc:"Number of faults that match, on all pages; at most 10,000."`
	TotalCapped bool  `json:"total_capped" doc:"If true, more than total faults match."`
	// What a search by fields of notices could not read.
	SearchedSince *time.Time `json:"searched_since" doc:"If not null, the search ran out of time: all notices since then were searched, but not all older ones. Add occurred_before to search those."`
	UnreadBlocks  int        `json:"unread_blocks" doc:"Number of stored blocks of notices that were not searched: they are damaged, or in object storage that does not respond."`
}

// filter makes a filter of a query that user sends, and notes what is wrong with its search.
func (q faultQuery) filter(problems *sett.Problems, user int64, now time.Time) searchdb.Filter {
	return searchdb.Filter{
		Search: sett.CheckSearch(problems, "q", q.Q, now), AskedBy: user, CreatedAfter: q.CreatedAfter.Time,
		OccurredAfter: q.OccurredAfter.Time, OccurredBefore: q.OccurredBefore.Time,
	}
}

func (a *API) listFaults(w http.ResponseWriter, r *http.Request) error {
	var q faultListQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	filter := q.filter(&problems, userID(r), a.Now())
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	part := searchdb.Page{Order: searchdb.Order(q.Order), Page: page.Page, Counted: true}
	found, err := a.Search.SearchFaults(r.Context(), a.Now(), pathID(r, "project_id"), filter, part)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, FaultList{
		List:  serve.NewList(a.BaseURL, r, page, viewAll(found.Faults, a.viewFault), found.Marks),
		Total: min(found.Total, searchdb.MostCountedFaults), TotalCapped: found.Total > searchdb.MostCountedFaults,
		SearchedSince: nullTime(found.Since), UnreadBlocks: found.Unread + found.Away,
	})
}

// FaultSummary is how many faults there are (api-go, FaultCounts).
type FaultSummary struct {
	Total        int64             `json:"total"`
	Environments []FaultSummaryRow `json:"environments" doc:"One entry per environment and state with faults."`
}

// FaultSummaryRow is how many faults of an environment are in a state.
type FaultSummaryRow struct {
	Environment string `json:"environment"`
	Resolved    bool   `json:"resolved"`
	Ignored     bool   `json:"ignored"`
	Count       int64  `json:"count"`
}

func (a *API) summarizeFaults(w http.ResponseWriter, r *http.Request) error {
	var q faultQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	filter := q.filter(&problems, userID(r), a.Now())
	if err := problems.Refusal(); err != nil {
		return err
	}
	counts, err := a.Search.CountFaults(r.Context(), a.Now(), pathID(r, "project_id"), filter)
	if err != nil {
		return err
	}
	summary := FaultSummary{Environments: make([]FaultSummaryRow, len(counts))}
	for i, c := range counts {
		summary.Environments[i] = FaultSummaryRow(c)
		summary.Total += c.Count
	}
	return serve.WriteJSON(w, http.StatusOK, summary)
}

// FaultDetail is a fault with the issues that it is linked with.
type FaultDetail struct {
	Fault
	Issues []FaultIssue `json:"issues" doc:"The linked issues in issue trackers whose address is known."`
}

// FaultIssue is an issue in a tracker.
type FaultIssue struct {
	ChannelID int64  `json:"channel_id" doc:"Id of the integration."`
	URL       string `json:"url"`
}

func (a *API) getFault(w http.ResponseWriter, r *http.Request) error {
	f, err := a.Faults.FaultByID(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"))
	if err != nil {
		return err
	}
	issues, err := a.issuesOf(r.Context(), f)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, FaultDetail{a.viewFault(f), issues})
}

func (a *API) issuesOf(ctx context.Context, f faults.Fault) ([]FaultIssue, error) {
	issues := []FaultIssue{}
	links, err := a.Faults.FaultLinks(ctx, f.ProjectID, f.ID)
	for _, l := range links {
		i, err := a.Deliveries.IntegrationByID(ctx, f.ProjectID, l.IntegrationID)
		if sett.CodeOf(err) == sett.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if address := channel.IssueAddress(l.Type, i.Options, l.Data); address != "" {
			issues = append(issues, FaultIssue{l.IntegrationID, address})
		}
	}
	return issues, err
}

// affectedUsersQuery says which affected users are listed.
type affectedUsersQuery struct {
	Q string `query:"q" doc:"Only users whose name contains this text, ignoring case."`
}

// AffectedUser is a user affected by a fault.
type AffectedUser struct {
	User  string `json:"user" doc:"Email address or id, as in the notices."`
	Count int64  `json:"count" doc:"Number of notices."`
}

// listAffectedUsers answers with a bare array (contract, General rules 3).
func (a *API) listAffectedUsers(w http.ResponseWriter, r *http.Request) error {
	var q affectedUsersQuery
	if err := serve.DecodeQuery(r, &q); err != nil {
		return err
	}
	users, _, err := a.Faults.AffectedUsers(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"), q.Q, faultdb.MostAffectedUsers)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewAll(users, func(u faultdb.AffectedUser) AffectedUser { return AffectedUser(u) }))
}
