-- +goose Up
-- Invitations to accounts and to teams.
CREATE TABLE invitations (
    id          {{identity}},
    account_id  text NOT NULL REFERENCES accounts ON DELETE CASCADE,
    team_id     bigint REFERENCES teams ON DELETE CASCADE, -- NULL: to the account
    token       text NOT NULL UNIQUE,                      -- readable, because the interface shows it
    email       text NOT NULL,                             -- lower case; '' once accepted
    role        text NOT NULL,
    admin       boolean NOT NULL,                          -- of the team
    message     text NOT NULL,
    created_by  bigint REFERENCES users ON DELETE SET NULL,
    accepted_by bigint REFERENCES users ON DELETE SET NULL,
    accepted_at bigint NOT NULL DEFAULT 0,                 -- 0: not yet
    created_at  bigint NOT NULL
);
CREATE INDEX invitations_by_account ON invitations (account_id, id);
CREATE INDEX invitations_by_team ON invitations (team_id);

-- The teams that an invitation to an account comes with.
CREATE TABLE invitation_teams (
    invitation_id bigint NOT NULL REFERENCES invitations ON DELETE CASCADE,
    team_id       bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
    PRIMARY KEY (invitation_id, team_id)
);
CREATE INDEX invitation_teams_by_team ON invitation_teams (team_id);
