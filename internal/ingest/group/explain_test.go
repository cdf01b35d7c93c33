package group

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/faults"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	app := &Frame{File: "app/order.rb", Method: "pay", Line: "12"}
	for name, c := range map[string]struct {
		g    faults.Grouping
		want []string
	}{
		"fingerprint": {Of(Input{Environment: "production", Fingerprint: "mine", Class: "A", App: app}), []string{
			"Same fingerprint, which the app sent. Within one environment, only the fingerprint counts.",
			"Environment: production.",
			"Fingerprint: “mine”.",
			"Grouping version: 1.",
		}},
		"location": {Of(Input{Environment: "production", Class: "A", Component: "orders", App: app}), []string{
			"Same environment, class, component and place in the code of the app.",
			"Environment: production.",
			"Class: A.",
			"Component: orders.",
			"Place: app/order.rb:12, in pay.",
			"Grouping version: 1.",
		}},
		"file alone": {Of(Input{Class: "A", App: &Frame{File: "page.js"}}), []string{
			"Same environment, class, component and place in the code of the app.",
			"Class: A.",
			"Place: page.js.",
			"Grouping version: 1.",
		}},
		"method alone": {Of(Input{Class: "A", App: &Frame{Method: "start/2"}}), []string{
			"Same environment, class, component and place in the code of the app.",
			"Class: A.",
			"Method: start/2.",
			"Grouping version: 1.",
		}},
		"message": {Of(Input{Class: "A", Message: "no order 12", Top: app}), []string{
			"Same environment, class, component and message. No frame is code of the app.",
			"Class: A.",
			"Message, without numbers, IDs, addresses, times and quoted text: “no order <number>”.",
			"Grouping version: 1.",
		}},
		"no message": {Of(Input{Class: "A", Top: app}), []string{
			"Same environment, class, component and message. No frame is code of the app.",
			"Class: A.",
			"No message; library method pay.",
			"Grouping version: 1.",
		}},
		"a later rule's basis": {faults.Grouping{Rule: 9, Basis: "stars", Class: "A"}, []string{
			"Same in all of the following.",
			"Class: A.",
			"Grouping version: 9.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Explain(c.g)); diff != "" {
				t.Errorf("Explain (-want +got):\n%s", diff)
			}
		})
	}
}
