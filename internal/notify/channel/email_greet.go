package channel

import "context"

// Greet connects to the mail server, greets it and logs in, as before a mail, and sends none. The error is a *Failure.
func (e *Email) Greet(ctx context.Context) error {
	if e.o.Server.Print {
		return nil
	}
	client, hangUp, err := e.client()
	if err != nil {
		return failure(false, "the mail server settings are not valid; correct SETT_SMTP_URL")
	}
	defer hangUp()
	if err := client.DialWithContext(ctx); err != nil {
		return failure(false, mailProblem(err))
	}
	_ = client.Close() // it is hung up on anyway
	return nil
}
