-- +goose Up
-- Who follows a fault. A row with follows = false is of a user who unfollowed it: what follows on its own does not change it. Rows belong to
-- the id of the fault, not to its row: while it is merged into another, its followers follow that one.
CREATE TABLE fault_followers (
    fault_id   bigint NOT NULL,
    user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    follows    boolean NOT NULL,
    changed_at bigint NOT NULL, -- of the parts of a fault, the latest row of a user decides
    PRIMARY KEY (fault_id, user_id)
);
CREATE INDEX fault_followers_by_project ON fault_followers (project_id);
CREATE INDEX fault_followers_by_user ON fault_followers (user_id);

-- Whether a user gets mails about the faults that they follow, whatever their events. Those who turned mentions off want none.
ALTER TABLE personal_alerts ADD COLUMN follows boolean NOT NULL DEFAULT true;
UPDATE personal_alerts SET follows = mentions;
