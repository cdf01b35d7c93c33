//go:build walk

package walk

import (
	"strconv"
	"testing"

	"sett/e2e/clients/walk/client"
)

func TestAcknowledgements(t *testing.T) {
	w := newWalker(t)
	p := w.project("On call")
	w.report(p, "EmptyTill")
	fault := w.fault(p)
	var body client.AcknowledgementBody
	body.Acknowledgement.Kind = client.AcknowledgedKindFault
	body.Acknowledgement.ThingId = strconv.FormatInt(fault.Id, 10)
	made := must(w.CreateAcknowledgementWithResponse(w.ctx, p.Id, body)).JSON201
	same(t, "acknowledgements", 1, len(*must(w.ListAcknowledgementsWithResponse(w.ctx, p.Id)).JSON200))
	must(w.DeleteAcknowledgementWithResponse(w.ctx, p.Id, made.Id))
	_, err := w.DeleteAcknowledgementWithResponse(w.ctx, p.Id, made.Id)
	w.refused(404, err)
}
