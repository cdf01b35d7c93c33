package statusdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/status"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
)

// An address that has confirmed, or was asked recently, is not asked again.
const subscribe = `-- statusdb.subscribe
INSERT INTO status_subscribers (page, kind, address, token, secret, confirmed_at, created_at, problem, failing_at)
VALUES ($1, $2, $3, $4, '', 0, $5, '', 0)
ON CONFLICT (page, kind, address) DO UPDATE SET created_at = excluded.created_at, problem = '', failing_at = 0
WHERE status_subscribers.confirmed_at = 0 AND status_subscribers.created_at <= $6
RETURNING id, token`

const setSubscriberSecrets = `-- statusdb.setSubscriberSecrets
UPDATE status_subscribers SET token = $2, token_hash = $3, secret = $4 WHERE id = $1`

// setSubscriberSecrets gives a subscriber a token and, if it is a webhook, the secret that signs its messages.
func (t Tx) setSubscriberSecrets(ctx context.Context, who status.StatusSubscriber) error {
	token, err := t.Seal(ctx, sealedSubscriber, who.Token, who.ID)
	if err != nil {
		return err
	}
	secret, err := t.Seal(ctx, sealedSigning, who.Secret, who.ID)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, setSubscriberSecrets, who.ID, token, db.HashOfToken(who.Token), secret)
	return err
}

// SubscribeEmail asks an e-mail address to confirm a subscription to a status page, unless it was asked within the last hour or has
// confirmed already. The result does not reveal which of these is the case. The error is NotFound if there is no such page, Invalid if
// the address is invalid, and Conflict if the page has the maximum number of subscribers.
func (s *Store) SubscribeEmail(ctx context.Context, now time.Time, page, address string) error {
	address, err := status.CheckSubscriberEmail(address)
	if err != nil {
		return err
	}
	return s.subscribe(ctx, now, page, status.StatusSubscriber{Kind: status.EmailSubscriber, Address: address},
		func(t Tx, p status.StatusPage, asked status.StatusSubscriber) error {
			return t.outbox().QueueMail(ctx, now, askingMail(p, asked.Address, asked.Token))
		})
}

const askWebHook = `-- statusdb.askWebHook
INSERT INTO status_notices (lane, subscriber_id, update_id, due_at, trying, tries, claims, claimed_by, created_at)
VALUES ($1, $2, NULL, $3, false, 0, 0, '', $3)`

// SubscribeWebHook is SubscribeEmail for the URL of a webhook. Its messages are signed with the secret, unless it was asked before.
func (s *Store) SubscribeWebHook(ctx context.Context, now time.Time, page, address, secret string) error {
	address, err := status.CheckSubscriberURL(address)
	if err != nil {
		return err
	}
	return s.subscribe(ctx, now, page, status.StatusSubscriber{Kind: status.WebHookSubscriber, Address: address, Secret: secret},
		func(t Tx, p status.StatusPage, asked status.StatusSubscriber) error {
			if err := t.Each(ctx, dropNoticesOf, []int64{asked.ID}); err != nil {
				return err
			}
			t.Wake(StatusPublished)
			_, err := t.Exec(ctx, askWebHook, NoticeLane(p.Number, asked.Kind), asked.ID, db.Micros(now))
			return err
		})
}

// subscribe calls ask with the subscriber who has to be asked to confirm, if there is one.
func (s *Store) subscribe(ctx context.Context, now time.Time, page string, who status.StatusSubscriber, ask func(Tx, status.StatusPage, status.StatusSubscriber) error) error {
	return s.inTx(ctx, "subscribe", func(t Tx) error {
		t.KeepsCaches = true
		p, err := s.statusPage(ctx, t, statusPageToView, page)
		if err != nil {
			return err
		}
		if err := t.wantRoom(ctx, p.Number); err != nil {
			return err
		}
		who, err = t.putSubscriber(ctx, now, p.Number, who)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return ask(t, p, who)
	})
}

// putSubscriber stores a subscriber who has to be asked and returns it with its id and token; it returns sql.ErrNoRows if none has to be.
// The secret of a webhook is the one of the latest request, and only the link that was created with it confirms.
func (t Tx) putSubscriber(ctx context.Context, now time.Time, page int64, who status.StatusSubscriber) (status.StatusSubscriber, error) {
	token := status.NewSubscriberToken(db.RandomOf(ctx))
	err := t.QueryRowContext(ctx, t.s.db.Text(subscribe), page, string(who.Kind), who.Address, db.Placeholder(token),
		db.Micros(now), db.Micros(now.Add(-status.AskAgainAfter))).Scan(&who.ID, &who.Token)
	if err != nil {
		return who, err
	}
	if who.Token != db.Placeholder(token) && who.Secret == "" {
		who.Token, err = t.s.db.Reveal(sealedSubscriber, who.Token, who.ID)
		return who, err
	}
	who.Token = token
	return who, t.setSubscriberSecrets(ctx, who)
}

func askingMail(p status.StatusPage, address, token string) alerts.Mail {
	fields := map[string]string{"page": p.Name, "slug": p.Slug, "token": token}
	if !p.Domain.VerifiedAt.IsZero() {
		fields["domain"] = p.Domain.Name
	}
	if p.Language != "" {
		fields["language"] = string(p.Language)
	}
	if p.HideBranding {
		fields["unbranded"] = "yes"
	}
	return alerts.Mail{To: address, Kind: alerts.SubscriptionMail, Fields: fields}
}

const countSubscribers = `-- statusdb.countSubscribers
SELECT count(*) FROM status_subscribers WHERE page = $1`

// wantRoom rejects all addresses if the page is full, including known ones, so that it does not reveal which are known.
func (t Tx) wantRoom(ctx context.Context, page int64) error {
	var n int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(countSubscribers), page).Scan(&n); err != nil {
		return fmt.Errorf("count subscribers: %w", err)
	}
	if n >= status.MostSubscribers {
		return sett.Errorf(sett.Conflict, "This page has the maximum number of subscribers. Use its feed instead.")
	}
	return nil
}

const subscriberByToken = `-- statusdb.SubscriberByToken
SELECT s.id, p.id, s.kind, s.address, s.token, s.secret, s.confirmed_at, s.created_at, s.problem, s.failing_at
FROM status_subscribers s JOIN status_pages p ON p.number = s.page WHERE p.id = $1 AND s.token_hash = $2`

// SubscriberByToken returns the subscriber of a page with a token. The error is NotFound if there is none, or if they have not confirmed
// in time.
func (s *Store) SubscriberByToken(ctx context.Context, now time.Time, page, token string) (status.StatusSubscriber, error) {
	return s.subscriberByToken(ctx, s.db.Read, now, page, token)
}

func (s *Store) subscriberByToken(ctx context.Context, q db.Querier, now time.Time, page, token string) (found status.StatusSubscriber, err error) {
	var confirmed, created, failing int64
	err = q.QueryRowContext(ctx, s.db.Text(subscriberByToken), page, db.HashOfToken(token)).Scan(&found.ID, &found.PageID, &found.Kind, &found.Address,
		&found.Token, &found.Secret, &confirmed, &created, &found.Problem, &failing)
	found.ConfirmedAt, found.CreatedAt, found.FailingAt = db.FromMicros(confirmed), db.FromMicros(created), db.FromMicros(failing)
	switch {
	case errors.Is(err, sql.ErrNoRows) || err == nil && found.ConfirmedAt.IsZero() && now.Sub(found.CreatedAt) >= status.SubscriptionLife:
		return status.StatusSubscriber{}, sett.Errorf(sett.NotFound, "This link does not work or has expired. Subscribe again on the page.")
	case err != nil:
		return found, s.db.Explain(db.Wrap("find subscriber", err))
	}
	return found, s.db.RevealAll([]any{found.ID}, map[*db.SealedColumn]*string{sealedSubscriber: &found.Token, sealedSigning: &found.Secret})
}

const pageOfSubscriber = `-- statusdb.PageOfSubscriber
SELECT p.id FROM status_subscribers s JOIN status_pages p ON p.number = s.page WHERE s.token_hash = $1`

// PageOfSubscriber returns the id of the page that the subscriber with a token has subscribed to, or "".
func (s *Store) PageOfSubscriber(ctx context.Context, token string) (id string, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(pageOfSubscriber), db.HashOfToken(token)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, s.db.Explain(db.Wrap("find page of subscriber", err))
}

const confirmSubscriber = `-- statusdb.ConfirmSubscriber
UPDATE status_subscribers SET confirmed_at = $2, problem = '', failing_at = 0 WHERE id = $1 AND confirmed_at = 0`

// ConfirmSubscriber confirms the subscription with a token: from now on the subscriber gets all updates of the page. A second call
// changes nothing. The error is that of SubscriberByToken.
func (s *Store) ConfirmSubscriber(ctx context.Context, now time.Time, page, token string) (found status.StatusSubscriber, err error) {
	if _, err := s.SubscriberByToken(ctx, now, page, token); err != nil {
		return found, err // requests with made-up tokens must not take the write lock
	}
	err = s.inTx(ctx, "confirm subscriber", func(t Tx) error {
		t.KeepsCaches = true
		if found, err = s.subscriberByToken(ctx, t, now, page, token); err != nil {
			return err
		}
		_, err := t.Exec(ctx, confirmSubscriber, found.ID, db.Micros(now))
		return err
	})
	return found, err
}

const knowsSubscriber = `-- statusdb.knowsSubscriber
SELECT EXISTS (SELECT 1 FROM status_subscribers s JOIN status_pages p ON p.number = s.page WHERE p.id = $1 AND s.token_hash = $2)`

const unsubscribeStatus = `-- statusdb.UnsubscribeStatus
DELETE FROM status_subscribers WHERE token_hash = $2 AND page IN (SELECT number FROM status_pages WHERE id = $1)`

// UnsubscribeStatus deletes the subscriber of a page with a token, if there is one.
func (s *Store) UnsubscribeStatus(ctx context.Context, page, token string) error {
	var known bool
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(knowsSubscriber), page, db.HashOfToken(token)).Scan(&known); err != nil || !known {
		return s.db.Explain(db.Wrap("find subscriber", err)) // requests with made-up tokens must not take the write lock
	}
	return s.inTx(ctx, "unsubscribe from status page", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, unsubscribeStatus, page, db.HashOfToken(token))
		return err
	})
}

const setNotAsked = `-- statusdb.noteNotAsked
UPDATE status_subscribers SET problem = $2 WHERE token_hash = $1 AND confirmed_at = 0`

// noteNotAsked records why the mail that asks a subscriber to confirm was not delivered; it is a MailFailed.
func noteNotAsked(ctx context.Context, t *db.Tx, m outbox.ClaimedMail, problem string) error {
	_, err := t.Exec(ctx, setNotAsked, db.HashOfToken(m.Fields["token"]), problem)
	return db.Wrap("note problem of subscriber", err)
}

// Subscribers who are no longer notified are kept for a while, so that users can see why.
const forgetSubscribers = `-- statusdb.ForgetSubscribers
DELETE FROM status_subscribers WHERE confirmed_at = 0 AND created_at <= CASE failing_at WHEN 0 THEN CAST($1 AS bigint) ELSE CAST($2 AS bigint) END`

// ForgetSubscribers deletes subscribers who have not confirmed in time, and those who have not been notified for long.
func (s *Store) ForgetSubscribers(ctx context.Context, now time.Time) error {
	return s.inTx(ctx, "forget subscribers", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, forgetSubscribers, db.Micros(now.Add(-status.SubscriptionLife)), db.Micros(now.Add(-status.KeepStopped)))
		return err
	})
}
