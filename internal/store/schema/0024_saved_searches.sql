-- +goose Up
-- Searches that people keep: one's own, or shared with all who see the project.
CREATE TABLE saved_searches (
    id          {{identity}},
    project_id  bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    user_id     bigint REFERENCES users ON DELETE CASCADE,  -- whose it is; NULL: shared
    made_by     bigint REFERENCES users ON DELETE SET NULL,
    name        text NOT NULL,
    q           text NOT NULL,
    environment text NOT NULL, -- '' : all
    sorted      text NOT NULL, -- store.FaultOrder
    created_at  bigint NOT NULL
);
CREATE INDEX saved_searches_by_project ON saved_searches (project_id, id);
CREATE INDEX saved_searches_by_user ON saved_searches (user_id);
CREATE INDEX saved_searches_by_maker ON saved_searches (made_by);
