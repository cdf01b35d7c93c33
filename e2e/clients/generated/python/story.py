"""Does what e2e/clients/generated_clients_test.go lists, with the client that openapi-generator writes.

It takes the address of a server, an auth token and an account, and prints what it saw as JSON.
"""

import json
import sys
import time
from urllib.parse import parse_qs, urlsplit

import sett_client as sett
from pydantic import ValidationError


class Story:
    """What the owner of an account does with the client."""

    def __init__(self, address, token, account):
        self.address = address
        self.account = account
        self.client = sett.ApiClient(sett.Configuration(host=address, username=token, password=""))
        self.seen = {}

    def run(self):
        project = self.projects()
        self.faults(project)
        self.reports(project)
        self.check_ins(project)
        site = self.sites(project)
        self.deploys(project)
        self.status_pages(project, site)
        self.accounts()
        self.refusals(project)
        return self.seen

    def projects(self):
        api = sett.ProjectsApi(self.client)
        try:
            sett.CreateProject(purge_days=30)
        except ValidationError:
            pass  # the name is required
        else:
            sys.exit("the client makes a project without a name")
        create = sett.CreateProject(name="Shop", purge_days=30, user_url="https://shop.example.test/[user_id]")
        made = api.create_project(sett.CreateProjectBody(project=create), account_id=self.account)
        self.seen["created"] = {"name": made.name, "purge_days": made.purge_days, "user_url": made.user_url}

        change = sett.ProjectChange(name="Store", user_url=None)
        api.update_project(made.id, sett.ProjectBody(project=change))
        project = api.get_project(made.id)
        self.seen["updated"] = {"name": project.name, "purge_days": project.purge_days, "user_url": project.user_url}

        gone = api.create_project(sett.CreateProjectBody(project=sett.CreateProject(name="Gone")))
        api.delete_project(gone.id)
        self.seen["projects"] = [p.name for p in api.list_projects().results]
        return project

    def reporting(self, project):
        """The reporting interface with the project's key instead of the user's token."""
        configuration = sett.Configuration(host=self.address, api_key={"projectKey": project.token})
        return sett.ReportingApi(sett.ApiClient(configuration))

    def report(self, project, name):
        """Reports an error and returns the id of its notice."""
        request = sett.RequestBody(
            context={"user_email": "ada@example.test", "list": [1, "two", None, {"deep": True}]},
            params={"price": 1.5, "none": None},
        )
        error = sett.FailureBody.model_validate({"class": name, "message": "out of stock"})
        return self.reporting(project).report_notice(sett.NoticeBody(error=error, request=request)).id

    def faults(self, project):
        api = sett.FaultsApi(self.client)
        self.report(project, "Alpha")
        self.report(project, "Beta")
        last = self.report(project, "Alpha")
        faults = []
        while len(faults) < 2 or faults[0].notices_count < 2:  # counts follow
            time.sleep(0.02)
            faults = api.list_faults(project.id, order="frequent", created_after=project.created_at.isoformat()).results
        self.seen["faults"] = [[f.klass, f.notices_count] for f in faults]

        after = str(int(project.created_at.timestamp()))
        notices = api.list_notices(project.id, faults[0].id, created_after=after, limit=1).results
        self.seen["notice"] = {
            "newest": [n.id for n in notices] == [last],
            "context": notices[0].request.context,
            "params": notices[0].request.params,
        }
        api.pause_fault(project.id, faults[0].id, sett.Pause(time="hour"))
        api.update_fault(project.id, faults[0].id, sett.FaultBody(fault=sett.FaultChange(resolved=True)))
        api.resolve_faults(project.id, q="class:Beta")
        resolved = api.list_faults(project.id, q="is:resolved", order="frequent").results
        self.seen["resolved"] = [f.klass for f in resolved]

    def reports(self, project):
        api = sett.ReportsApi(self.client)
        day = project.created_at.date().isoformat()
        self.seen["by_class"] = api.report_notices_by_class(project.id, start=day)
        seconds = str(int(project.created_at.timestamp()))
        self.seen["per_day"] = sum(count for _, count in api.report_notices_per_day(project.id, start=seconds))

        hours = sett.ProjectsApi(self.client).list_project_occurrences(project.id, period="day")
        self.seen["occurrences"] = sum(count for _, count in hours)

    def check_ins(self, project):
        api = sett.CheckInsApi(self.client)
        for i in range(60):
            check_in = sett.CheckInChange(slug=f"job-{i}", report_period="1 day")
            api.create_check_in(project.id, sett.CheckInBody(check_in=check_in))
        pages = [api.list_check_ins(project.id, limit=25, page=number) for number in (1, 2, 3)]
        self.seen["pages"] = [[c.slug for c in page.results] for page in pages]
        cursor = parse_qs(urlsplit(pages[0].links.next).query)["cursor"][0]
        behind = api.list_check_ins(project.id, limit=25, cursor=cursor)
        self.seen["behind_cursor"] = [c.slug for c in behind.results]

    def sites(self, project):
        api = sett.SitesApi(self.client)
        create = sett.CreateSite(
            url="http://127.0.0.1:9/health",
            name="Health",
            frequency=15,
            active=False,
            request_headers=[sett.ProbeHeader(key="Accept", value="text/plain")],
        )
        made = api.create_site(project.id, sett.CreateSiteBody(site=create))
        api.update_site(project.id, made.id, sett.SiteBody(site=sett.SiteChange(frequency=None)))
        site = api.get_site(project.id, made.id)
        self.seen["site"] = {
            "name": site.name,
            "url": site.url,
            "active": site.active,
            "frequency": [made.frequency, site.frequency],
            "header": site.request_headers[0].key,
            "match": site.match,
        }
        return site

    def deploys(self, project):
        api = sett.DeploysApi(self.client)
        part = sett.DeployPart(environment="production", revision="abc123")
        self.reporting(project).report_deploy(deploy_body=sett.DeployBody(deploy=part))
        after = project.created_at.isoformat()
        listed = api.list_deploys(project.id, environment="production", created_after=after).results
        one = api.get_deploy(project.id, listed[0].id)
        self.seen["deploy"] = {"environment": one.environment, "revision": one.revision, "listed": len(listed)}

    def status_pages(self, project, site):
        api = sett.StatusPagesApi(self.client)
        create = sett.CreateStatusPage(name="Shop", sites=[sett.StatusSiteChange(site_id=site.id)])
        made = api.create_status_page(self.account, sett.CreateStatusPageBody(status_page=create))
        change = sett.StatusPageBody(status_page=sett.StatusPageChange(name="Store"))
        api.update_status_page(self.account, made.id, change)
        page = api.get_status_page(self.account, made.id)
        self.seen["status_page"] = {"name": page.name, "sites": len(page.sites), "domain": page.domain}

    def accounts(self):
        entries = sett.AccountsApi(self.client).list_audit_log(self.account, action="createProject").results
        self.seen["audit_log"] = [e.changes for e in entries]
        users = sett.AccountUsersApi(self.client).list_account_users(self.account).results
        self.seen["users"] = [u.email for u in users]

    def refusals(self, project):
        try:
            sett.ProjectsApi(self.client).get_project(999999)
        except sett.exceptions.NotFoundException as e:
            self.seen["not_found"] = e.data.errors
        try:
            site = sett.CreateSite(url="ftp://x.test")
            sett.SitesApi(self.client).create_site(project.id, sett.CreateSiteBody(site=site))
        except sett.exceptions.UnprocessableEntityException as e:
            self.seen["invalid"] = e.data.errors
        try:
            anyone = sett.ApiClient(sett.Configuration(host=self.address))
            sett.ReportingApi(anyone).report_deploy(deploy_body=sett.DeployBody())
        except sett.exceptions.ForbiddenException as e:
            self.seen["no_key"] = e.data.error


if __name__ == "__main__":
    json.dump(Story(*sys.argv[1:]).run(), sys.stdout)
