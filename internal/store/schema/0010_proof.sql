-- +goose Up
-- Whether the address of a user was shown to be theirs, by a mail that they got or by an issuer that they signed in with.
ALTER TABLE users ADD COLUMN proven boolean NOT NULL DEFAULT false;
UPDATE users SET proven = true; -- all existing users

-- The secret of the link in the mail. The interface shows the other token to those who invite; never this one.
ALTER TABLE invitations ADD COLUMN mail_token text; -- NULL: the mail went out with the other token
CREATE UNIQUE INDEX invitations_by_mail_token ON invitations (mail_token);
