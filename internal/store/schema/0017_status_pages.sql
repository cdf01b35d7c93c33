-- +goose Up
-- Pages on which everybody can see how sites and check-ins do.
CREATE TABLE status_pages (
    number             {{identity}},
    id                 text NOT NULL UNIQUE,
    account_id         text NOT NULL REFERENCES accounts ON DELETE CASCADE,
    slug               text NOT NULL UNIQUE,
    name               text NOT NULL,
    hide_branding      boolean NOT NULL,
    features           text NOT NULL, -- JSON of sett.StatusFeatures
    unlisted           boolean NOT NULL,
    auto_incidents     boolean NOT NULL,
    password_hash      text NOT NULL,  -- '' : everybody may see it
    password_key       bytea NOT NULL, -- empty: there is no password
    domain             text NOT NULL, -- '' : none
    domain_secret      text NOT NULL,
    domain_state       text NOT NULL,   -- sett.DomainState
    domain_problem     text NOT NULL,
    domain_proof       text NOT NULL DEFAULT '', -- sett.DomainProof
    domain_verified_at bigint NOT NULL, -- 0: it is not
    domain_checked_at  bigint NOT NULL, -- 0: never, as those that follow
    domain_due_at      bigint NOT NULL,
    domain_failing_at  bigint NOT NULL,
    revision           bigint NOT NULL, -- sett.StatusPage.Revision
    created_at         bigint NOT NULL,
    updated_at         bigint NOT NULL
);
CREATE INDEX status_pages_by_account ON status_pages (account_id, number);
CREATE UNIQUE INDEX status_pages_by_domain ON status_pages (domain) WHERE domain_verified_at > 0;
CREATE INDEX status_pages_due ON status_pages (domain_due_at) WHERE domain_due_at > 0;

-- What a page shows, in the order of position: a site or a check-in.
CREATE TABLE status_components (
    id           {{identity}},
    page         bigint NOT NULL REFERENCES status_pages ON DELETE CASCADE,
    position     bigint NOT NULL,
    site_id      bigint REFERENCES sites ON DELETE CASCADE,
    check_in     bigint REFERENCES check_ins ON DELETE CASCADE,
    display_name text NOT NULL, -- '' : that of the site or check-in
    description  text NOT NULL,
    CHECK ((site_id IS NULL) <> (check_in IS NULL))
);
CREATE INDEX status_components_by_page ON status_components (page, position);
CREATE UNIQUE INDEX status_components_by_site ON status_components (site_id, page) WHERE site_id IS NOT NULL;
CREATE UNIQUE INDEX status_components_by_check_in ON status_components (check_in, page) WHERE check_in IS NOT NULL;

-- What went wrong, and work that is planned.
CREATE TABLE status_incidents (
    id          {{identity}},
    page        bigint NOT NULL REFERENCES status_pages ON DELETE CASCADE,
    kind        text NOT NULL, -- sett.IncidentKind
    name        text NOT NULL,
    status      text NOT NULL, -- sett.IncidentStatus
    automatic   boolean NOT NULL,
    starts_at   bigint NOT NULL,
    ends_at     bigint NOT NULL, -- of maintenance; 0 otherwise
    resolved_at bigint NOT NULL, -- 0: it lasts, or is to come
    due_at      bigint NOT NULL, -- when the clock is to move maintenance on; 0: never
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL
);
CREATE INDEX status_incidents_by_page ON status_incidents (page, starts_at, id);
CREATE INDEX status_incidents_open ON status_incidents (page) WHERE resolved_at = 0;
CREATE INDEX status_incidents_due ON status_incidents (due_at) WHERE due_at > 0;

CREATE TABLE status_incident_components (
    incident_id  bigint NOT NULL REFERENCES status_incidents ON DELETE CASCADE,
    component_id bigint NOT NULL REFERENCES status_components ON DELETE CASCADE,
    PRIMARY KEY (incident_id, component_id)
) {{clustered}};
CREATE INDEX status_incident_components_by_component ON status_incident_components (component_id);

CREATE TABLE status_updates (
    id          {{identity}},
    incident_id bigint NOT NULL REFERENCES status_incidents ON DELETE CASCADE,
    status      text NOT NULL,
    message     text NOT NULL,
    automatic   boolean NOT NULL,
    at          bigint NOT NULL,
    told_to     bigint NOT NULL -- the newest subscriber who has a notice of it; -1: all have
);
CREATE INDEX status_updates_by_incident ON status_updates (incident_id, id);
CREATE INDEX status_updates_untold ON status_updates (id) WHERE told_to >= 0;

-- Those who receive the updates of a page.
CREATE TABLE status_subscribers (
    id           {{identity}},
    page         bigint NOT NULL REFERENCES status_pages ON DELETE CASCADE,
    kind         text NOT NULL, -- sett.SubscriberKind
    address      text NOT NULL,
    token        text NOT NULL UNIQUE,
    secret       text NOT NULL,   -- of webhooks
    confirmed_at bigint NOT NULL, -- 0: not yet
    created_at   bigint NOT NULL, -- while it is not: when they were asked the last time
    problem      text NOT NULL,
    failing_at   bigint NOT NULL, -- since when nothing reaches them; 0: it does
    UNIQUE (page, kind, address)
);
CREATE INDEX status_subscribers_by_page ON status_subscribers (page, id);
CREATE INDEX status_subscribers_asked ON status_subscribers (created_at) WHERE confirmed_at = 0;

-- Updates to be sent to subscribers, to each in the order of their ids.
CREATE TABLE status_notices (
    id            {{identity}},
    page          bigint NOT NULL, -- of the subscriber, as kind
    kind          text NOT NULL,
    subscriber_id bigint NOT NULL REFERENCES status_subscribers ON DELETE CASCADE,
    update_id     bigint REFERENCES status_updates ON DELETE CASCADE, -- null: a webhook is asked to confirm
    due_at        bigint NOT NULL, -- time of the next attempt, in the future during one
    trying        boolean NOT NULL, -- a process has claimed it, until due_at
    tries         bigint NOT NULL, -- begun
    claims        bigint NOT NULL, -- so often it was ever claimed, by which a claim is known
    claimed_by    text NOT NULL,   -- the process that claimed it last
    created_at    bigint NOT NULL,
    UNIQUE (subscriber_id, update_id)
);
CREATE INDEX status_notices_due ON status_notices (page, kind, due_at, id);
CREATE INDEX status_notices_in_order ON status_notices (subscriber_id, id);
CREATE INDEX status_notices_by_update ON status_notices (update_id);
CREATE INDEX status_notices_trying ON status_notices (claimed_by) WHERE trying;

-- Certificates that the server was given, with their keys and all that belongs to them, as files by their names.
CREATE TABLE certificates (
    name        text PRIMARY KEY,
    content     bytea NOT NULL,
    modified_at bigint NOT NULL
);
