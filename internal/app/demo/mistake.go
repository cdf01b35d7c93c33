package demo

// mistake is an error in a program of which there are stories. Holes such as {order} in its texts are filled for each notice.
type mistake struct {
	class, message    string
	component, action string
	calls             []call // the application's, innermost first
	cause             *cause
	tags              []string
	share             float64 // of its project's notices
	fate              fate
	seen              int // days ago when it was first seen; 0: before the history began
	path              string
	fix               string // the code line at fault
}

// cause is the error that a mistake came of.
type cause struct{ class, message string }

// fate is what becomes of a fault.
type fate string

// The fates; "" leaves it open.
const (
	resolved  fate = "resolved"
	reopened  fate = "reopened"
	ignored   fate = "ignored"
	pausedFor fate = "paused for a time"
	pausedBy  fate = "paused by count"
	assigned  fate = "assigned"
	onDeploy  fate = "resolved on deploy"
	worse     fate = "came with a bad deploy"
)

func checkoutMistakes() []mistake {
	card := []string{
		"  def apply_gift_card(code)", "    card = GiftCard.find_by(code: code)", "    return if total.zero?", "    used = [card.balance, total].min",
		"    self.discount += used", "    card.decrement!(:balance, used)", "  end",
	}
	block := []string{
		"  def create", "    @order = Order.new(order_params)", "    Order.transaction do", "      @order.apply_gift_card(params[:gift_card])", "      @order.save!",
		"    end", "    render json: @order, status: :created",
	}
	return []mistake{
		{
			class: "NoMethodError", message: "undefined method 'balance' for nil while applying a gift card to order {order}", component: "OrdersController", action: "create",
			calls: []call{
				{"apply_gift_card", "[PROJECT_ROOT]/app/models/order.rb", 118, card},
				{"block in create", "[PROJECT_ROOT]/app/controllers/orders_controller.rb", 41, block},
				{"create", "[PROJECT_ROOT]/app/controllers/orders_controller.rb", 38, block},
			},
			cause: &cause{"ActiveRecord::RecordNotFound", "Couldn't find GiftCard with [WHERE gift_cards.code = ?]"},
			tags:  []string{"checkout", "gift-cards"}, share: 0.12, fate: reopened, seen: 9, path: "/orders",
		},
		{class: "Timeout::Error", message: "execution expired after 5.0 seconds calling ledger", component: "LedgerClient", action: "post", share: 0.08, tags: []string{"checkout"}, fate: pausedBy, path: "/orders/{order}/capture", fix: "response = http.post(path, body, timeout: 5)", cause: &cause{"Errno::ETIMEDOUT", "Connection timed out - connect(2) for \"ledger.internal\" port 443"}},
		{class: "ActiveRecord::RecordNotFound", message: "Couldn't find Cart with 'id'={cart}", component: "CartsController", action: "show", share: 0.10, fate: ignored, path: "/carts/{cart}", fix: "@cart = Cart.find(params[:id])"},
		{class: "Redis::CannotConnectError", message: "Error connecting to Redis on 10.0.4.7:6379 (Errno::ECONNREFUSED)", component: "RatesImporter", action: "import", share: 0.06, fate: assigned, path: "", fix: "redis.set(key, rates.to_json, ex: 3600)", tags: []string{"infrastructure"}},
		{class: "PaymentDeclined", message: "card_velocity: too many attempts for this card", component: "PaymentsJob", action: "perform", share: 0.05, tags: []string{"checkout", "payments"}, fate: pausedFor, path: "", fix: "raise PaymentDeclined, result.reason unless result.ok?"},
		{class: "ZeroDivisionError", message: "divided by 0 in tax split of order {order}", component: "CheckoutSummary", action: "render", share: 0.05, fate: worse, path: "/orders/{order}/summary", fix: "share = line.total / lines.sum(&:weight)"},
		{class: "JSON::ParserError", message: "unexpected token at '<html>' in rates response", component: "RatesImporter", action: "perform", share: 0.03, fate: resolved, path: "", fix: "rates = JSON.parse(response.body)"},
		{class: "KeyError", message: "key not found: :currency", component: "OrdersController", action: "show", share: 0.03, fate: onDeploy, path: "/orders/{order}", fix: "money = Money.new(attrs.fetch(:amount), attrs.fetch(:currency))"},
		{class: "Errno::ECONNRESET", message: "Connection reset by peer - SSL_connect", component: "PaymentsJob", action: "post", share: 0.04, path: "", fix: "gateway.capture(payment.reference)"},
	}
}

func storefrontMistakes() []mistake {
	return []mistake{
		{class: "TypeError", message: "Cannot read properties of undefined (reading 'lineItems')", component: "CartDrawer", action: "render", share: 0.16, fate: worse, path: "/cart", tags: []string{"cart"}, fix: "const total = cart.order.lineItems.reduce(sum, 0)"},
		{class: "ChunkLoadError", message: "Loading chunk {chunk} failed after 3 retries", component: "ProductPage", action: "load", share: 0.12, fate: pausedFor, path: "/products/{product}", fix: "const Gallery = await import('./ImageGallery')"},
		{class: "AbortError", message: "The user aborted a request.", component: "SearchBox", action: "load", share: 0.08, fate: ignored, path: "/search", fix: "const found = await fetch(url, { signal })"},
		{class: "ReferenceError", message: "analytics is not defined", component: "Recommendations", action: "useEffect", share: 0.07, fate: resolved, path: "/", fix: "analytics.page(location.pathname)"},
		{class: "QuotaExceededError", message: "Failed to execute 'setItem' on 'Storage': exceeded the quota", component: "CartDrawer", action: "submit", share: 0.04, fate: assigned, path: "/cart", fix: "localStorage.setItem('cart', JSON.stringify(cart))"},
		{class: "HydrationError", message: "Text content does not match server-rendered HTML", component: "ProductPage", action: "hydrate", share: 0.06, path: "/products/{product}", fix: "hydrateRoot(root, <App state={state} />)"},
	}
}

func inventoryMistakes() []mistake {
	return []mistake{
		{class: "context deadline exceeded", message: "query inventory.reserve took {ms} ms", component: "inventory.Service", action: "Reserve", share: 0.18, fate: worse, path: "/v1/reserve", fix: "if err != nil {", cause: &cause{"*pgconn.PgError", "canceling statement due to user request (SQLSTATE 57014)"}},
		{class: "net/http: request canceled", message: "Client.Timeout exceeded while awaiting headers", component: "warehouse.Gateway", action: "Sync", share: 0.14, fate: pausedBy, path: "/v1/sync", fix: "if err := g.do(req); err != nil {"},
		{class: "*errors.errorString", message: "stock of {sku} would be negative", component: "reserve.Worker", action: "Handle", share: 0.09, fate: assigned, path: "", fix: "if left < 0 {"},
		{class: "runtime.boundsError", message: "index out of range [3] with length 3", component: "catalog.Reader", action: "List", share: 0.05, fate: reopened, path: "/v1/catalog", fix: "row := page.rows[page.size]"},
	}
}

func ledgerMistakes() []mistake {
	return []mistake{
		{class: "sqlalchemy.exc.OperationalError", message: "server closed the connection unexpectedly", component: "ledger.tasks.settle", action: "run", share: 0.2, fate: assigned, fix: "session.flush()", cause: &cause{"psycopg.OperationalError", "terminating connection due to administrator command"}},
		{class: "decimal.InvalidOperation", message: "[<class 'decimal.ConversionSyntax'>] in entry {order}", component: "ledger.fx", action: "run", share: 0.12, fate: resolved, fix: "rate = Decimal(entry.rate)"},
		{class: "UnbalancedBatch", message: "batch {order} is off by 0.01 EUR", component: "ledger.reconcile", action: "match", share: 0.1, fate: pausedFor, fix: "raise UnbalancedBatch(batch, difference)", tags: []string{"money"}},
		{class: "KeyError", message: "'iban'", component: "ledger.export", action: "export_month", share: 0.06, fix: "row.append(entry.account['iban'])", fate: onDeploy},
	}
}

func mobileMistakes() []mistake {
	return []mistake{
		{class: "java.lang.IllegalStateException", message: "Fragment LoginFragment not attached to a context", component: "LoginFragment", action: "onResume", share: 0.18, fate: assigned, fix: "requireContext().theme.apply(state)"},
		{class: "kotlin.UninitializedPropertyAccessException", message: "lateinit property binding has not been initialized", component: "CheckoutActivity", action: "onCreate", share: 0.12, fate: worse, fix: "binding.pay.isEnabled = cart.isReady"},
		{class: "java.net.SocketTimeoutException", message: "timeout after {ms} ms", component: "SyncWorker", action: "sync", share: 0.14, fate: ignored, fix: "val fresh = api.pull(since)"},
		{class: "android.database.sqlite.SQLiteFullException", message: "database or disk is full (code 13)", component: "ProductViewModel", action: "load", share: 0.04, fate: resolved, fix: "dao.insertAll(products)"},
	}
}
