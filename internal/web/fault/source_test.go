package fault_test

import (
	"net/http"
	"testing"
)

// Source lines are highlighted, and stay text whatever they contain; values are trees; the browser is named.
func TestThePageOfAnErrorIsReadable(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(`{"error":{"class":"Boom","message":"m","backtrace":[{"number":"2","file":"[PROJECT_ROOT]/app/order.rb","method":"pay","context":"app",
		"source":{"1":"def pay","2":"  raise \"</span><script>alert(1)</script>\" # why","3":"end"}}]},
		"request":{"context":{"cart":{"items":[{"price":3}],"<b>":"<script>alert(2)</script>"}},
		"cgi_data":{"HTTP_USER_AGENT":"Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"}},"server":{"environment_name":"production"}}`)
	page := o.member.Get(o.path(f)).CheckPage().Want(http.StatusOK,
		`<i class="hk">def</i>`, `<i class="hk">raise</i>`, `&lt;script&gt;alert(1)&lt;/script&gt;`, `<i class="hc"># why</i>`,
		`<details class="tree">`, `data-copy="context.cart.items[0].price"`, `>Firefox 132</a></dd>`)
	page.Lacks("<script>alert", "</span><script")
}
