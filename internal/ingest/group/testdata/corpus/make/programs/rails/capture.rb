# Requests paths of a Rails application, and prints what was raised: one line of JSON per path. usage: capture.rb ROOT < PATHS
require_relative '../ruby/plain'
require 'logger'
require 'active_record'
require 'action_controller'
require 'action_view'
require 'rack/mock'
root = ARGV.fetch(0)
ActiveRecord::Base.establish_connection(adapter: 'sqlite3', database: ':memory:')
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table(:customers) { |t| t.string :email }
  create_table(:orders) { |t| t.string :number; t.integer :customer_id }
end
require File.join(root, 'shop.rb')
Customer.create!(id: 1, email: 'ann@example.org')
Order.create!(id: 1, number: 'A-17', customer: Customer.first)
$stdin.read.each_line(chomp: true) do |path|
  action, = path.delete_prefix('/').split(/[\/?]/)
  env = Rack::MockRequest.env_for(path.sub(%r{^(/\w+)/([^?]+)}, '\1?id=\2'))
  Shop.action(action).call(env)
  puts JSON.generate(cls: 'none')
rescue Exception => e
  puts JSON.generate(plain(e).merge(route: "Shop##{action}"))
end
