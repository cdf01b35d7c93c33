// Command generated does what e2e/clients/generated_clients_test.go lists, with the client that openapi-generator writes to
// client. It takes the address of a server, an auth token and an account, and prints what it saw as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"generated/client"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

// seen is what the program prints.
type seen map[string]any

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: generated ADDRESS TOKEN ACCOUNT")
	}
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	ctx := context.WithValue(context.Background(), client.ContextBasicAuth, client.BasicAuth{UserName: os.Args[2]})
	s := story{client.NewAPIClient(configuration), ctx, os.Args[3], seen{}}
	s.run()
	if err := json.NewEncoder(os.Stdout).Encode(s.seen); err != nil {
		log.Fatal(err)
	}
}

// story is what the owner of an account does with the client.
type story struct {
	*client.APIClient
	ctx     context.Context
	account string
	seen    seen
}

func (s story) run() {
	project := s.projects()
	s.faults(project)
	s.reports(project)
	s.checkIns(project)
	site := s.sites(project)
	s.deploys(project)
	s.statusPages(project, site)
	s.accounts()
	s.refusals(project)
}

// must returns an answer, and ends the program where there was none.
func must[R any](answer R, _ *http.Response, err error) R {
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

// done ends the program where something was refused.
func done(_ *http.Response, err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func (s story) projects() *client.Project {
	create := client.NewCreateProject("Shop")
	create.SetPurgeDays(30)
	create.SetUserUrl("https://shop.example.test/[user_id]")
	made := must(s.ProjectsAPI.CreateProject(s.ctx).AccountId(s.account).CreateProjectBody(*client.NewCreateProjectBody(*create)).Execute())
	s.seen["created"] = seen{"name": made.Name, "purge_days": made.PurgeDays, "user_url": made.UserUrl}

	change := client.ProjectChange{Name: new("Store")}
	change.SetUserUrlNil()
	done(s.ProjectsAPI.UpdateProject(s.ctx, made.Id).ProjectBody(*client.NewProjectBody(change)).Execute())
	p := must(s.ProjectsAPI.GetProject(s.ctx, made.Id).Execute())
	s.seen["updated"] = seen{"name": p.Name, "purge_days": p.PurgeDays, "user_url": p.UserUrl}

	gone := must(s.ProjectsAPI.CreateProject(s.ctx).CreateProjectBody(*client.NewCreateProjectBody(*client.NewCreateProject("Gone"))).Execute())
	done(s.ProjectsAPI.DeleteProject(s.ctx, gone.Id).Execute())
	var names []string
	for _, p := range must(s.ProjectsAPI.ListProjects(s.ctx).Execute()).Results {
		names = append(names, p.Name)
	}
	s.seen["projects"] = names
	return p
}

// report reports an error with the project's key and returns the id of its notice.
func (s story) report(p *client.Project, class string) string {
	failure := client.FailureBody{Class: &class, Message: new("out of stock")}
	body := client.NewNoticeBody(failure)
	body.SetRequest(client.RequestBody{
		Context: map[string]any{"user_email": "ada@example.test", "list": []any{1, "two", nil, map[string]any{"deep": true}}},
		Params:  map[string]any{"price": 1.5, "none": nil},
	})
	return must(s.ReportingAPI.ReportNotice(s.reporting(p)).NoticeBody(*body).Execute()).Id
}

// reporting has the project's key instead of the user's token.
func (s story) reporting(p *client.Project) context.Context {
	return context.WithValue(context.Background(), client.ContextAPIKeys, map[string]client.APIKey{"projectKey": {Key: p.Token}})
}

func (s story) faults(p *client.Project) {
	s.report(p, "Alpha")
	s.report(p, "Beta")
	last := s.report(p, "Alpha")
	var faults []client.Fault
	for len(faults) < 2 || faults[0].NoticesCount < 2 { // counts follow
		time.Sleep(20 * time.Millisecond)
		faults = must(s.FaultsAPI.ListFaults(s.ctx, p.Id).Order("frequent").CreatedAfter(p.CreatedAt.Format(time.RFC3339)).Execute()).Results
	}
	var counts []any
	for _, f := range faults {
		counts = append(counts, []any{f.Klass, f.NoticesCount})
	}
	s.seen["faults"] = counts

	after := strconv.FormatInt(p.CreatedAt.Unix(), 10)
	notices := must(s.FaultsAPI.ListNotices(s.ctx, p.Id, faults[0].Id).CreatedAfter(after).Limit(1).Execute()).Results
	s.seen["notice"] = seen{
		"newest": len(notices) == 1 && notices[0].Id == last, "context": notices[0].Request.Context, "params": notices[0].Request.Params,
	}
	pause := client.Pause{}
	pause.SetTime("hour")
	done(s.FaultsAPI.PauseFault(s.ctx, p.Id, faults[0].Id).Pause(pause).Execute())
	change := client.FaultChange{}
	change.SetResolved(true)
	done(s.FaultsAPI.UpdateFault(s.ctx, p.Id, faults[0].Id).FaultBody(*client.NewFaultBody(change)).Execute())
	done(s.FaultsAPI.ResolveFaults(s.ctx, p.Id).Q("class:Beta").Execute())
	var resolved []string
	for _, f := range must(s.FaultsAPI.ListFaults(s.ctx, p.Id).Q("is:resolved").Order("frequent").Execute()).Results {
		resolved = append(resolved, f.Klass)
	}
	s.seen["resolved"] = resolved
}

func (s story) reports(p *client.Project) {
	day := p.CreatedAt.UTC().Format(time.DateOnly)
	s.seen["by_class"] = must(s.ReportsAPI.ReportNoticesByClass(s.ctx, p.Id).Start(day).Execute())
	total := 0.0
	for _, row := range must(s.ReportsAPI.ReportNoticesPerDay(s.ctx, p.Id).Start(strconv.FormatInt(p.CreatedAt.Unix(), 10)).Execute()) {
		total += row[1].(float64)
	}
	s.seen["per_day"] = total

	counted := int64(0)
	for _, hour := range must(s.ProjectsAPI.ListProjectOccurrences(s.ctx, p.Id).Period("day").Execute()) {
		counted += hour[1]
	}
	s.seen["occurrences"] = counted
}

func (s story) checkIns(p *client.Project) {
	for i := range 60 {
		checkIn := client.CheckInChange{}
		checkIn.SetSlug("job-" + strconv.Itoa(i))
		checkIn.SetReportPeriod("1 day")
		must(s.CheckInsAPI.CreateCheckIn(s.ctx, p.Id).CheckInBody(*client.NewCheckInBody(checkIn)).Execute())
	}
	var pages [][]string
	var cursor string
	for number := range int64(3) {
		page := must(s.CheckInsAPI.ListCheckIns(s.ctx, p.Id).Limit(25).Page(number + 1).Execute())
		if number == 0 {
			next, err := url.Parse(page.Links.GetNext())
			if err != nil {
				log.Fatal(err)
			}
			cursor = next.Query().Get("cursor")
		}
		pages = append(pages, slugs(page))
	}
	s.seen["pages"] = pages
	s.seen["behind_cursor"] = slugs(must(s.CheckInsAPI.ListCheckIns(s.ctx, p.Id).Limit(25).Cursor(cursor).Execute()))
}

func slugs(page *client.CheckInList) (all []string) {
	for _, c := range page.Results {
		all = append(all, c.GetSlug())
	}
	return all
}

func (s story) sites(p *client.Project) *client.Site {
	create := client.NewCreateSite("http://127.0.0.1:9/health")
	create.SetName("Health")
	create.SetFrequency(15)
	create.SetActive(false)
	create.SetRequestHeaders([]client.ProbeHeader{{Key: "Accept", Value: "text/plain"}})
	made := must(s.SitesAPI.CreateSite(s.ctx, p.Id).CreateSiteBody(*client.NewCreateSiteBody(*create)).Execute())
	change := client.SiteChange{}
	change.SetFrequencyNil()
	done(s.SitesAPI.UpdateSite(s.ctx, p.Id, made.Id).SiteBody(*client.NewSiteBody(change)).Execute())
	site := must(s.SitesAPI.GetSite(s.ctx, p.Id, made.Id).Execute())
	s.seen["site"] = seen{
		"name": site.Name, "url": site.Url, "active": site.Active, "frequency": []int64{made.Frequency, site.Frequency},
		"header": site.RequestHeaders[0].Key, "match": site.Match.Get(),
	}
	return site
}

func (s story) deploys(p *client.Project) {
	part := client.DeployPart{Environment: new("production"), Revision: new("abc123")}
	must(s.ReportingAPI.ReportDeploy(s.reporting(p)).DeployBody(client.DeployBody{Deploy: &part}).Execute())
	listed := must(s.DeploysAPI.ListDeploys(s.ctx, p.Id).Environment("production").CreatedAfter(p.CreatedAt.Format(time.RFC3339)).Execute()).Results
	one := must(s.DeploysAPI.GetDeploy(s.ctx, p.Id, listed[0].Id).Execute())
	s.seen["deploy"] = seen{"environment": one.Environment, "revision": one.Revision, "listed": len(listed)}
}

func (s story) statusPages(p *client.Project, site *client.Site) {
	create := client.NewCreateStatusPage("Shop")
	create.SetSites([]client.StatusSiteChange{*client.NewStatusSiteChange(site.Id)})
	made := must(s.StatusPagesAPI.CreateStatusPage(s.ctx, s.account).CreateStatusPageBody(*client.NewCreateStatusPageBody(*create)).Execute())
	change := client.StatusPageChange{Name: new("Store")}
	done(s.StatusPagesAPI.UpdateStatusPage(s.ctx, s.account, made.Id).StatusPageBody(*client.NewStatusPageBody(change)).Execute())
	page := must(s.StatusPagesAPI.GetStatusPage(s.ctx, s.account, made.Id).Execute())
	s.seen["status_page"] = seen{"name": page.Name, "sites": len(page.Sites), "domain": page.Domain.Get()}
}

func (s story) accounts() {
	var changed, users []any
	for _, e := range must(s.AccountsAPI.ListAuditLog(s.ctx, s.account).Action("createProject").Execute()).Results {
		changed = append(changed, e.Changes)
	}
	for _, u := range must(s.AccountUsersAPI.ListAccountUsers(s.ctx, s.account).Execute()).Results {
		users = append(users, u.Email)
	}
	s.seen["audit_log"], s.seen["users"] = changed, users
}

func (s story) refusals(p *client.Project) {
	_, _, err := s.ProjectsAPI.GetProject(s.ctx, 999999).Execute()
	s.seen["not_found"] = refusal(err)
	_, _, err = s.SitesAPI.CreateSite(s.ctx, p.Id).CreateSiteBody(*client.NewCreateSiteBody(*client.NewCreateSite("ftp://x.test"))).Execute()
	s.seen["invalid"] = refusal(err)
	_, _, err = s.ReportingAPI.ReportDeploy(context.Background()).DeployBody(client.DeployBody{}).Execute()
	s.seen["no_key"] = reportRefusal(err)
}

// refusal is the message of the typed error of the management interface.
func refusal(err error) string { return refused[client.ErrorBody](err).Errors }

// reportRefusal is that of the reporting interface.
func reportRefusal(err error) string { return refused[client.ReportErrorBody](err).Error }

func refused[E any](err error) E {
	answer, ok := errors.AsType[*client.GenericOpenAPIError](err)
	if !ok {
		log.Fatalf("the error is %v", err)
	}
	body, ok := answer.Model().(E)
	if !ok {
		log.Fatalf("the error %v has a %T", err, answer.Model())
	}
	return body
}
