-- +goose Up
-- Who looks at a problem. A row counts only while the problem that began then lasts: see alerts.Acknowledgement.
CREATE TABLE acknowledgements (
    id         {{identity}},
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    subject    text NOT NULL,   -- alerts.AlertSubject
    name       text NOT NULL,   -- of the site, check-in, alarm or error then
    began_at   bigint NOT NULL, -- when the problem began
    user_id    bigint,          -- who may be gone
    way        text NOT NULL,   -- alerts.AcknowledgedBy
    at         bigint NOT NULL,
    UNIQUE (project_id, subject)
);
CREATE INDEX acknowledgements_by_time ON acknowledgements (at);
