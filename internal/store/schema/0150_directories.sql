-- +goose Up
-- The directory of an account: people and groups come from it by SCIM, and its identity provider signs them in by SAML.
CREATE TABLE directories (
    account_id   text PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    token_hash   bytea UNIQUE,     -- SHA-256 of the token for SCIM; null: there is none
    made_at      bigint NOT NULL,  -- when the token was made
    used_at      bigint NOT NULL,  -- when the directory last asked; 0: never
    default_role text NOT NULL,    -- of people whose groups give them none
    just_in_time boolean NOT NULL, -- who signs in by SAML and is not yet in the account joins it
    metadata_url text NOT NULL,    -- '' : the document was pasted
    metadata     text NOT NULL,    -- of the identity provider (SAML); '' : there is none
    read_at      bigint NOT NULL,  -- when the document was last read
    problem      text NOT NULL     -- why it could not be read since
);

-- Domains whose addresses of mail an account may create people for. One account at most has verified a domain.
CREATE TABLE domains (
    account_id  text NOT NULL REFERENCES accounts ON DELETE CASCADE,
    domain      text NOT NULL,   -- lower case
    proof       text NOT NULL,   -- what its TXT record has to say
    verified_at bigint NOT NULL, -- 0: not yet
    PRIMARY KEY (account_id, domain)
);
CREATE UNIQUE INDEX domains_verified ON domains (domain) WHERE verified_at > 0;

CREATE TABLE directory_people (
    id           text PRIMARY KEY, -- by which the directory knows them
    account_id   text NOT NULL REFERENCES accounts ON DELETE CASCADE,
    user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    user_name    text NOT NULL,    -- as the directory writes it
    name_key     text NOT NULL,    -- the same in lower case
    external_id  text NOT NULL,
    given_name   text NOT NULL,
    family_name  text NOT NULL,
    display_name text NOT NULL,
    email        text NOT NULL,
    active       boolean NOT NULL, -- they are in the account
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    UNIQUE (account_id, name_key),
    UNIQUE (account_id, user_id)
);
CREATE INDEX directory_people_by_external ON directory_people (account_id, external_id);
CREATE INDEX directory_people_by_user ON directory_people (user_id);

CREATE TABLE directory_groups (
    id          text PRIMARY KEY,
    account_id  text NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name        text NOT NULL,
    external_id text NOT NULL,
    role        text NOT NULL,    -- of its people; '' : it gives none
    team_id     bigint REFERENCES teams ON DELETE SET NULL, -- that its people are in; null: none
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    UNIQUE (account_id, name)
);
CREATE INDEX directory_groups_by_team ON directory_groups (team_id);

CREATE TABLE directory_members (
    group_id  text NOT NULL REFERENCES directory_groups ON DELETE CASCADE,
    person_id text NOT NULL REFERENCES directory_people ON DELETE CASCADE,
    PRIMARY KEY (group_id, person_id)
);
CREATE INDEX directory_members_by_person ON directory_members (person_id);
