package sett

import (
	"testing"
	"time"
)

func TestReceiversNameTheirIDs(t *testing.T) {
	t.Parallel()
	for r, want := range map[Receiver][2]int64{
		IntegrationReceiver(12): {12, 0}, UserReceiver(7): {0, 7}, "": {}, "user": {}, "user x": {}, "integrations 4": {},
	} {
		if got := [2]int64{r.IntegrationID(), r.UserID()}; got != want {
			t.Errorf("%q: %v, want %v", r, got, want)
		}
	}
}

func TestFailureMailHasItsNameInOneLine(t *testing.T) {
	t.Parallel()
	i := Integration{ProjectID: 5, IntegrationSettings: IntegrationSettings{Type: "WebHook", Options: map[string]any{"label": " Ops\r\nBcc: x "}}}
	m := i.FailureMail("ann@example.test", "Shop", "410 Gone", true)
	want := map[string]string{"integration": "Ops Bcc: x (WebHook)", "project": "Shop", "problem": "410 Gone", "link": "/projects/5/settings/channels", "off": "yes"}
	for name, value := range want {
		if m.Fields[name] != value {
			t.Errorf("%s is %q, want %q", name, m.Fields[name], value)
		}
	}
	i.Options = map[string]any{"label": 7}
	if got := i.FailureMail("", "", "", false).Fields["integration"]; got != "WebHook" {
		t.Errorf("without a label it is %q", got)
	}
}

func TestDeliveriesThatWaitForQuietHours(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 11, 19, 7, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		d    Delivery
		want bool
	}{
		{Delivery{State: DeliveryDue, DueAt: end, QuietUntil: end}, true},
		{Delivery{State: DeliverySent, DueAt: end, QuietUntil: end}, false},
		{Delivery{State: DeliveryDue, DueAt: end.Add(time.Minute), QuietUntil: end}, false}, // its receiver wants to be left alone for longer
		{Delivery{State: DeliveryDue, DueAt: end}, false},
		{Delivery{State: DeliveryDue}, false},
	} {
		if got := c.d.Quiet(); got != c.want {
			t.Errorf("%+v: %v", c.d, got)
		}
	}
}
