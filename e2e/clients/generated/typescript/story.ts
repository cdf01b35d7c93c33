// Does what e2e/clients/generated_clients_test.go lists, with the client that openapi-generator writes to client. It takes the
// address of a server, an auth token and an account, and prints what it saw as JSON.
import {
  AccountsApi,
  AccountUsersApi,
  CheckInsApi,
  type CheckInList,
  Configuration,
  type CreateProject,
  DeploysApi,
  type ErrorBody,
  type Fault,
  FaultsApi,
  ListFaultsOrderEnum,
  ListProjectOccurrencesPeriodEnum,
  type Project,
  ProjectsApi,
  type ReportErrorBody,
  ReportingApi,
  ReportsApi,
  ResponseError,
  type Site,
  SitesApi,
  StatusPagesApi,
} from './client/index.js';

const [basePath, username, accountId] = process.argv.slice(2) as [string, string, string];
const configuration = new Configuration({ basePath, username, password: '' });
const seen: Record<string, unknown> = {};

async function projects(): Promise<Project> {
  const api = new ProjectsApi(configuration);
  // @ts-expect-error: the name is required
  const nameless: CreateProject = { purgeDays: 30 };
  const project: CreateProject = { ...nameless, name: 'Shop', userUrl: 'https://shop.example.test/[user_id]' };
  const made = await api.createProject({ accountId, createProjectBody: { project } });
  seen.created = { name: made.name, purge_days: made.purgeDays, user_url: made.userUrl };

  await api.updateProject({ projectId: made.id, projectBody: { project: { name: 'Store', userUrl: null } } });
  const changed = await api.getProject({ projectId: made.id });
  seen.updated = { name: changed.name, purge_days: changed.purgeDays, user_url: changed.userUrl };

  const gone = await api.createProject({ createProjectBody: { project: { name: 'Gone' } } });
  await api.deleteProject({ projectId: gone.id });
  seen.projects = (await api.listProjects()).results.map((p) => p.name);
  return changed;
}

// reporting is the reporting interface with the project's key instead of the user's token.
function reporting(project: Project): ReportingApi {
  return new ReportingApi(new Configuration({ basePath, apiKey: project.token }));
}

// report reports an error and returns the id of its notice.
async function report(project: Project, name: string): Promise<string> {
  const accepted = await reporting(project).reportNotice({
    noticeBody: {
      error: { _class: name, message: 'out of stock' },
      request: {
        context: { user_email: 'ada@example.test', list: [1, 'two', null, { deep: true }] },
        params: { price: 1.5, none: null },
      },
    },
  });
  return accepted.id;
}

async function faults(project: Project): Promise<void> {
  const api = new FaultsApi(configuration);
  const projectId = project.id;
  await report(project, 'Alpha');
  await report(project, 'Beta');
  const last = await report(project, 'Alpha');
  const order = ListFaultsOrderEnum.Frequent;
  let found: Fault[] = [];
  while (found.length < 2 || found[0]!.noticesCount < 2) { // counts follow
    await new Promise((resolve) => setTimeout(resolve, 20));
    found = (await api.listFaults({ projectId, order, createdAfter: project.createdAt.toISOString() })).results;
  }
  seen.faults = found.map((f) => [f.klass, f.noticesCount]);

  const faultId = found[0]!.id;
  const notices = (await api.listNotices({ projectId, faultId, createdAfter: seconds(project), limit: 1 })).results;
  seen.notice = {
    newest: notices.length === 1 && notices[0]!.id === last,
    context: notices[0]!.request.context,
    params: notices[0]!.request.params,
  };
  await api.pauseFault({ projectId, faultId, pause: { time: 'hour' } });
  await api.updateFault({ projectId, faultId, faultBody: { fault: { resolved: true } } });
  await api.resolveFaults({ projectId, q: 'class:Beta' });
  seen.resolved = (await api.listFaults({ projectId, q: 'is:resolved', order })).results.map((f) => f.klass);
}

function seconds(project: Project): string {
  return String(Math.floor(project.createdAt.getTime() / 1000));
}

async function reports(project: Project): Promise<void> {
  const api = new ReportsApi(configuration);
  const projectId = project.id;
  const day = project.createdAt.toISOString().slice(0, 10);
  seen.by_class = await api.reportNoticesByClass({ projectId, start: day });
  const rows = await api.reportNoticesPerDay({ projectId, start: seconds(project) });
  seen.per_day = rows.reduce((total, row) => total + row[1], 0);

  const period = ListProjectOccurrencesPeriodEnum.Day;
  const hours = await new ProjectsApi(configuration).listProjectOccurrences({ projectId, period });
  seen.occurrences = hours.reduce((total, hour) => total + hour[1]!, 0);
}

async function checkIns(project: Project): Promise<void> {
  const api = new CheckInsApi(configuration);
  const projectId = project.id;
  for (let i = 0; i < 60; i++) {
    const checkIn = { slug: `job-${i}`, reportPeriod: '1 day' };
    await api.createCheckIn({ projectId, checkInBody: { checkIn } });
  }
  const pages: CheckInList[] = [];
  for (const page of [1, 2, 3]) {
    pages.push(await api.listCheckIns({ projectId, limit: 25, page }));
  }
  const slugs = (page: CheckInList) => page.results.map((c) => c.slug);
  seen.pages = pages.map(slugs);
  const cursor = new URL(pages[0]!.links.next!).searchParams.get('cursor')!;
  seen.behind_cursor = slugs(await api.listCheckIns({ projectId, limit: 25, cursor }));
}

async function sites(project: Project): Promise<Site> {
  const api = new SitesApi(configuration);
  const projectId = project.id;
  const made = await api.createSite({
    projectId,
    createSiteBody: {
      site: {
        url: 'http://127.0.0.1:9/health',
        name: 'Health',
        frequency: 15,
        active: false,
        requestHeaders: [{ key: 'Accept', value: 'text/plain' }],
      },
    },
  });
  await api.updateSite({ projectId, siteId: made.id, siteBody: { site: { frequency: null } } });
  const site = await api.getSite({ projectId, siteId: made.id });
  seen.site = {
    name: site.name,
    url: site.url,
    active: site.active,
    frequency: [made.frequency, site.frequency],
    header: site.requestHeaders[0]!.key,
    match: site.match,
  };
  return site;
}

async function deploys(project: Project): Promise<void> {
  const api = new DeploysApi(configuration);
  const projectId = project.id;
  const environment = 'production';
  await reporting(project).reportDeploy({ deployBody: { deploy: { environment, revision: 'abc123' } } });
  const createdAfter = project.createdAt.toISOString();
  const listed = (await api.listDeploys({ projectId, environment, createdAfter })).results;
  const one = await api.getDeploy({ projectId, deployId: listed[0]!.id });
  seen.deploy = { environment: one.environment, revision: one.revision, listed: listed.length };
}

async function statusPages(site: Site): Promise<void> {
  const api = new StatusPagesApi(configuration);
  const statusPage = { name: 'Shop', sites: [{ siteId: site.id }] };
  const made = await api.createStatusPage({ accountId, createStatusPageBody: { statusPage } });
  await api.updateStatusPage({ accountId, statusPageId: made.id, statusPageBody: { statusPage: { name: 'Store' } } });
  const page = await api.getStatusPage({ accountId, statusPageId: made.id });
  seen.status_page = { name: page.name, sites: page.sites.length, domain: page.domain };
}

async function accounts(): Promise<void> {
  const entries = (await new AccountsApi(configuration).listAuditLog({ accountId, action: 'createProject' })).results;
  seen.audit_log = entries.map((e) => e.changes);
  seen.users = (await new AccountUsersApi(configuration).listAccountUsers({ accountId })).results.map((u) => u.email);
}

// refused returns the typed error that a request is answered with.
async function refused<E>(request: Promise<unknown>, status: number): Promise<E> {
  const error: unknown = await request.then(() => undefined, (e: unknown) => e);
  if (!(error instanceof ResponseError) || error.response.status !== status) {
    throw new Error(`the error is ${String(error)}, not of status ${status}`);
  }
  return (await error.response.json()) as E;
}

async function refusals(project: Project): Promise<void> {
  const unknown = new ProjectsApi(configuration).getProject({ projectId: 999999 });
  seen.not_found = (await refused<ErrorBody>(unknown, 404)).errors;
  const wrong = new SitesApi(configuration).createSite({
    projectId: project.id,
    createSiteBody: { site: { url: 'ftp://x.test' } },
  });
  seen.invalid = (await refused<ErrorBody>(wrong, 422)).errors;
  const keyless = new ReportingApi(new Configuration({ basePath })).reportDeploy({ deployBody: {} });
  seen.no_key = (await refused<ReportErrorBody>(keyless, 403)).error;
}

const project = await projects();
await faults(project);
await reports(project);
await checkIns(project);
const site = await sites(project);
await deploys(project);
await statusPages(site);
await accounts();
await refusals(project);
console.log(JSON.stringify(seen));
