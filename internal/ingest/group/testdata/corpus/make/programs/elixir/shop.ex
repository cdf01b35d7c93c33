# NEW RELEASE
defmodule Kiosk.Declined do
  defexception [:message]
end

defmodule Kiosk.Cart do
  defstruct items: []
  def total(%{items: items}), do: Enum.sum(Enum.map(items, fn i -> i.price + 1 end))
  def names(%{items: items}), do: Enum.map(items, &String.trim(&1.name))
  def pay(n), do: raise(Kiosk.Declined, message: "payment #{n} was declined")
  def refund(n), do: raise(Kiosk.Declined, message: "payment #{n} was declined")
  # NEW LINES
  def status(code), do: raise(Kiosk.Declined, message: "the bank answered HTTP #{code}")
  def ship("here"), do: :ok
  def pack("here"), do: :ok
  def ok({:ok, x}), do: x
  def match(x) do
    {:ok, y} = x
    y
  end
  def price(m), do: Map.fetch!(m, :price)
  def label(m), do: Map.fetch!(m, :label)
  def number(s), do: String.to_integer(s)
  def count(s), do: String.to_integer(s)
  def kind(x), do: (case x do :a -> 1 end)
  def size(x), do: (cond do x > 5 -> 1 end)
  def ratio(a, b), do: div(a, b)
  def share(a, b), do: rem(a, b)
  def missing, do: apply(Kiosk.Nowhere, :go, [1])
  def missing2, do: apply(Kiosk.Lost, :go, [1])
  def deep(0), do: raise(Kiosk.Declined, message: "bottom")
  def deep(n), do: 1 + deep(n - 1)
  def thrown, do: throw(:sold_out)
  def exited, do: exit({:shutdown, 5})
  def step(f) do
    f.()
  rescue
    _ -> reraise Kiosk.Declined, [message: "step failed"], __STACKTRACE__
  end
  def file(path), do: File.read!(path)
  def task(f), do: Task.await(Task.async(f))
  def comp(l), do: for(x <- l, do: x.price)
  def comp2(l), do: for(x <- l, do: x.label)
  def key(m), do: m.price
  def key2(m), do: m.label
end

defmodule Kiosk.Stock do
  use GenServer
  def init(x), do: {:ok, x}
  def handle_call({:take, sku}, _from, state), do: {:reply, Map.fetch!(state, sku), state}
  def handle_call({:slow, _}, _from, state), do: Process.sleep(1000) && {:reply, 1, state}
  def call(what), do: GenServer.call(elem(GenServer.start(__MODULE__, %{}), 1), what, 20)
end
