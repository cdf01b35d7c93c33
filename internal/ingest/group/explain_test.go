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
			"The app sent a fingerprint with these notices. Within one environment, only the fingerprint counts.",
			"They come from the environment production.",
			"Their fingerprint is “mine”.",
			"They were grouped by version 1 of the grouping rule.",
		}},
		"location": {Of(Input{Environment: "production", Class: "A", Component: "orders", App: app}), []string{
			"These notices share their environment, class, component and location in the code of the app.",
			"They come from the environment production.",
			"Their class is A.",
			"Their component is orders.",
			"They come from app/order.rb:12, in pay.",
			"They were grouped by version 1 of the grouping rule.",
		}},
		"file alone": {Of(Input{Class: "A", App: &Frame{File: "page.js"}}), []string{
			"These notices share their environment, class, component and location in the code of the app.",
			"Their class is A.",
			"They come from page.js.",
			"They were grouped by version 1 of the grouping rule.",
		}},
		"method alone": {Of(Input{Class: "A", App: &Frame{Method: "start/2"}}), []string{
			"These notices share their environment, class, component and location in the code of the app.",
			"Their class is A.",
			"They come from the method start/2.",
			"They were grouped by version 1 of the grouping rule.",
		}},
		"message": {Of(Input{Class: "A", Message: "no order 12", Top: app}), []string{
			"These notices do not contain a location in the code of the app, so they are grouped by message, environment, class and component.",
			"Their class is A.",
			"Without numbers, ids, addresses, times and quoted text, their message is “no order <number>”.",
			"They were grouped by version 1 of the grouping rule.",
		}},
		"no message": {Of(Input{Class: "A", Top: app}), []string{
			"These notices do not contain a location in the code of the app, so they are grouped by message, environment, class and component.",
			"Their class is A.",
			"They have no message, and occur in the library method pay.",
			"They were grouped by version 1 of the grouping rule.",
		}},
		"a later rule's basis": {faults.Grouping{Rule: 9, Basis: "stars", Class: "A"}, []string{
			"These notices share all of the following.",
			"Their class is A.",
			"They were grouped by version 9 of the grouping rule.",
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
