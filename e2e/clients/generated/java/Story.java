import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import sett.client.ApiClient;
import sett.client.ApiException;
import sett.client.api.AccountUsersApi;
import sett.client.api.AccountsApi;
import sett.client.api.CheckInsApi;
import sett.client.api.DeploysApi;
import sett.client.api.FaultsApi;
import sett.client.api.ProjectsApi;
import sett.client.api.ReportingApi;
import sett.client.api.ReportsApi;
import sett.client.api.SitesApi;
import sett.client.api.StatusPagesApi;
import sett.client.model.*;

/**
 * Does what e2e/clients/generated_clients_test.go lists, with the client that openapi-generator writes. It takes the address of
 * a server, an auth token and an account, and prints what it saw as JSON.
 */
public final class Story {
  private final String address;
  private final String account;
  private final ApiClient client;
  private final Map<String, Object> seen = new TreeMap<>();

  private Story(String address, String token, String account) {
    this.address = address;
    this.account = account;
    String credentials = Base64.getEncoder().encodeToString((token + ":").getBytes(StandardCharsets.UTF_8));
    this.client = as("Authorization", "Basic " + credentials);
  }

  public static void main(String[] args) throws Exception {
    Story story = new Story(args[0], args[1], args[2]);
    story.run();
    System.out.println(new ObjectMapper().writeValueAsString(story.seen)); // that of the client leaves null out
  }

  private void run() throws Exception {
    Project project = projects();
    faults(project);
    reports(project);
    checkIns(project);
    Site site = sites(project);
    deploys(project);
    statusPages(site);
    accounts();
    refusals(project);
  }

  /** A client that sends a header with each request. */
  private ApiClient as(String header, String value) {
    ApiClient made = new ApiClient();
    made.updateBaseUri(address);
    made.setRequestInterceptor(request -> request.header(header, value));
    return made;
  }

  /** A map in which values may be null. */
  private static Map<String, Object> fields(Object... pairs) {
    Map<String, Object> map = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((String) pairs[i], pairs[i + 1]);
    }
    return map;
  }

  private Project projects() throws ApiException {
    ProjectsApi api = new ProjectsApi(client);
    CreateProject create = new CreateProject().name("Shop").purgeDays(30L).userUrl("https://shop.example.test/[user_id]");
    Project made = api.createProject(new CreateProjectBody().project(create), account);
    seen.put("created", fields("name", made.getName(), "purge_days", made.getPurgeDays(), "user_url", made.getUserUrl()));

    ProjectChange change = new ProjectChange().name("Store").userUrl(null);
    api.updateProject(made.getId(), new ProjectBody().project(change));
    Project project = api.getProject(made.getId());
    seen.put("updated", fields("name", project.getName(), "purge_days", project.getPurgeDays(), "user_url", project.getUserUrl()));

    Project gone = api.createProject(new CreateProjectBody().project(new CreateProject().name("Gone")), null);
    api.deleteProject(gone.getId());
    List<Project> all = api.listProjects(null, null, null, null).getResults();
    seen.put("projects", all.stream().map(Project::getName).collect(Collectors.toList()));
    return project;
  }

  /** The reporting interface with the project's key instead of the user's token. */
  private ReportingApi reporting(Project project) {
    return new ReportingApi(as("X-API-Key", project.getToken()));
  }

  /** Reports an error and returns the id of its notice. */
  private String report(Project project, String name) throws ApiException {
    RequestBody request = new RequestBody()
        .context(fields("user_email", "ada@example.test", "list", Arrays.asList(1, "two", null, Map.of("deep", true))))
        .params(fields("price", 1.5, "none", null));
    FailureBody failure = new FailureBody().propertyClass(name).message("out of stock");
    return reporting(project).reportNotice(new NoticeBody().error(failure).request(request)).getId();
  }

  private void faults(Project project) throws ApiException, InterruptedException {
    FaultsApi api = new FaultsApi(client);
    Long id = project.getId();
    report(project, "Alpha");
    report(project, "Beta");
    String last = report(project, "Alpha");
    String since = project.getCreatedAt().toString();
    List<Fault> faults = List.of();
    while (faults.size() < 2 || faults.get(0).getNoticesCount() < 2) { // counts follow
      Thread.sleep(20);
      faults = api.listFaults(id, null, since, null, null, "frequent", null, null, null).getResults();
    }
    seen.put("faults", faults.stream().map(f -> List.of(f.getKlass(), f.getNoticesCount())).collect(Collectors.toList()));

    Long first = faults.get(0).getId();
    List<Notice> notices = api.listNotices(id, first, seconds(project), null, null, null, 1L, null).getResults();
    NoticeRequest request = notices.get(0).getRequest();
    boolean newest = notices.size() == 1 && notices.get(0).getId().toString().equals(last);
    seen.put("notice", fields("newest", newest, "context", request.getContext(), "params", request.getParams()));

    api.pauseFault(id, first, new Pause().time(Pause.TimeEnum.HOUR));
    api.updateFault(id, first, new FaultBody().fault(new FaultChange().resolved(true)));
    api.resolveFaults(id, "class:Beta");
    List<Fault> resolved = api.listFaults(id, "is:resolved", null, null, null, "frequent", null, null, null).getResults();
    seen.put("resolved", resolved.stream().map(Fault::getKlass).collect(Collectors.toList()));
  }

  private static String seconds(Project project) {
    return String.valueOf(project.getCreatedAt().toEpochSecond());
  }

  private void reports(Project project) throws ApiException {
    ReportsApi api = new ReportsApi(client);
    String day = project.getCreatedAt().withOffsetSameInstant(ZoneOffset.UTC).toLocalDate().toString();
    seen.put("by_class", api.reportNoticesByClass(project.getId(), day, null, null));
    long total = 0;
    for (List<Object> row : api.reportNoticesPerDay(project.getId(), seconds(project), null, null)) {
      total += ((Number) row.get(1)).longValue();
    }
    seen.put("per_day", total);

    long counted = 0;
    for (List<Long> hour : new ProjectsApi(client).listProjectOccurrences(project.getId(), "day", null)) {
      counted += hour.get(1);
    }
    seen.put("occurrences", counted);
  }

  private void checkIns(Project project) throws ApiException {
    CheckInsApi api = new CheckInsApi(client);
    for (int i = 0; i < 60; i++) {
      CheckInChange checkIn = new CheckInChange().slug("job-" + i).reportPeriod("1 day");
      api.createCheckIn(project.getId(), new CheckInBody().checkIn(checkIn));
    }
    List<CheckInList> pages = new ArrayList<>();
    for (long number = 1; number <= 3; number++) {
      pages.add(api.listCheckIns(project.getId(), number, 25L, null));
    }
    seen.put("pages", pages.stream().map(Story::slugs).collect(Collectors.toList()));
    String query = URI.create(pages.get(0).getLinks().getNext()).getQuery();
    String cursor = Arrays.stream(query.split("&")).filter(p -> p.startsWith("cursor=")).findFirst().orElseThrow().substring(7);
    seen.put("behind_cursor", slugs(api.listCheckIns(project.getId(), null, 25L, cursor)));
  }

  private static List<String> slugs(CheckInList page) {
    return page.getResults().stream().map(CheckIn::getSlug).collect(Collectors.toList());
  }

  private Site sites(Project project) throws ApiException {
    SitesApi api = new SitesApi(client);
    CreateSite create = new CreateSite()
        .url("http://127.0.0.1:9/health")
        .name("Health")
        .frequency(CreateSite.FrequencyEnum.NUMBER_15)
        .active(false)
        .requestHeaders(List.of(new ProbeHeader().key("Accept").value("text/plain")));
    Site made = api.createSite(project.getId(), new CreateSiteBody().site(create));
    api.updateSite(project.getId(), made.getId(), new SiteBody().site(new SiteChange().frequency(null)));
    Site site = api.getSite(project.getId(), made.getId());
    seen.put("site", fields(
        "name", site.getName(),
        "url", site.getUrl(),
        "active", site.getActive(),
        "frequency", List.of(made.getFrequency(), site.getFrequency()),
        "header", site.getRequestHeaders().get(0).getKey(),
        "match", site.getMatch()));
    return site;
  }

  private void deploys(Project project) throws ApiException {
    DeploysApi api = new DeploysApi(client);
    DeployPart part = new DeployPart().environment("production").revision("abc123");
    reporting(project).reportDeploy(new DeployBody().deploy(part), null, null, null, null, null);
    String since = project.getCreatedAt().toString();
    List<Deploy> listed = api.listDeploys(project.getId(), "production", null, since, null, null, null, null).getResults();
    Deploy one = api.getDeploy(project.getId(), listed.get(0).getId());
    seen.put("deploy", fields("environment", one.getEnvironment(), "revision", one.getRevision(), "listed", listed.size()));
  }

  private void statusPages(Site site) throws ApiException {
    StatusPagesApi api = new StatusPagesApi(client);
    CreateStatusPage create = new CreateStatusPage().name("Shop").sites(List.of(new StatusSiteChange().siteId(site.getId())));
    StatusPage made = api.createStatusPage(account, new CreateStatusPageBody().statusPage(create));
    api.updateStatusPage(account, made.getId(), new StatusPageBody().statusPage(new StatusPageChange().name("Store")));
    StatusPage page = api.getStatusPage(account, made.getId());
    seen.put("status_page", fields("name", page.getName(), "sites", page.getSites().size(), "domain", page.getDomain()));
  }

  private void accounts() throws ApiException {
    AccountsApi accounts = new AccountsApi(client);
    List<AuditEntry> entries = accounts.listAuditLog(account, null, "createProject", null, null, null, null, null).getResults();
    seen.put("audit_log", entries.stream().map(AuditEntry::getChanges).collect(Collectors.toList()));
    List<AccountUser> users = new AccountUsersApi(client).listAccountUsers(account, null, null, null).getResults();
    seen.put("users", users.stream().map(AccountUser::getEmail).collect(Collectors.toList()));
  }

  /** A request that is refused. */
  private interface Request {
    void send() throws ApiException;
  }

  /** Returns the typed error that a request is answered with. */
  private <E> E refused(int status, Class<E> type, Request request) throws JsonProcessingException {
    try {
      request.send();
    } catch (ApiException e) {
      if (e.getCode() == status) {
        return client.getObjectMapper().readValue(e.getResponseBody(), type);
      }
      throw new IllegalStateException("the status is not " + status, e);
    }
    throw new IllegalStateException("the request was not refused");
  }

  private void refusals(Project project) throws JsonProcessingException {
    ErrorBody unknown = refused(404, ErrorBody.class, () -> new ProjectsApi(client).getProject(999999L));
    seen.put("not_found", unknown.getErrors());
    CreateSiteBody wrong = new CreateSiteBody().site(new CreateSite().url("ftp://x.test"));
    ErrorBody invalid = refused(422, ErrorBody.class, () -> new SitesApi(client).createSite(project.getId(), wrong));
    seen.put("invalid", invalid.getErrors());
    ReportingApi anyone = new ReportingApi(as("Accept-Language", "en"));
    ReportErrorBody keyless = refused(403, ReportErrorBody.class, () -> anyone.reportDeploy(new DeployBody(), null, null, null, null, null));
    seen.put("no_key", keyless.getError());
  }
}
