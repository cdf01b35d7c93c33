-- +goose Up
-- To which channel the alerts of another one are sent on when no person acknowledges them.
CREATE TABLE escalation_rules (
    integration_id {{key}} REFERENCES integrations ON DELETE CASCADE,
    to_id          bigint NOT NULL REFERENCES integrations ON DELETE CASCADE,
    minutes        bigint NOT NULL
);
CREATE INDEX escalation_rules_by_target ON escalation_rules (to_id);

-- Alerts that are sent on, or were, while their problem lasts: one for each channel and subject.
CREATE TABLE escalations (
    integration_id bigint NOT NULL REFERENCES integrations ON DELETE CASCADE, -- that the alert was for first
    subject        text NOT NULL,
    alert_id       bigint NOT NULL REFERENCES alerts ON DELETE CASCADE,
    began_at       bigint NOT NULL, -- when the problem began
    due_at         bigint NOT NULL,
    sent_at        bigint NOT NULL, -- 0: not yet
    sent_to        bigint NOT NULL, -- the channel; 0: none yet
    PRIMARY KEY (integration_id, subject)
);
CREATE INDEX escalations_due ON escalations (due_at) WHERE sent_at = 0;
CREATE INDEX escalations_by_alert ON escalations (alert_id);
CREATE INDEX escalations_by_subject ON escalations (subject);
