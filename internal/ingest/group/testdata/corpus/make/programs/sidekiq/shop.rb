# Jobs of a shop, for Sidekiq.
# NEW RELEASE
class Bounced < StandardError; end

module Mail
  def self.send_to(address) = raise(Bounced, "mailbox #{address} does not exist")
end

class WelcomeJob
  include Sidekiq::Worker
  def perform(address) = Mail.send_to(address)
end

class RemindJob
  include Sidekiq::Worker
  def perform(address) = raise(Bounced, "mailbox #{address} does not exist")
end

# NEW LINES
class ReportJob
  include Sidekiq::Worker
  def perform(rows) = rows.sum { |r| r['total'] + 1 }
end

class ExportJob
  include Sidekiq::Worker
  def perform(rows) = rows.map { |r| r['name'].upcase }
end

class SyncJob
  include Sidekiq::Worker
  def perform(shop)
    raise IOError, "shop #{shop} did not answer"
  rescue IOError
    raise Bounced, 'sync failed'
  end
end

class PullJob
  include Sidekiq::Worker
  def perform(shop)
    raise KeyError, "shop #{shop} has no key"
  rescue KeyError
    raise Bounced, 'sync failed'
  end
end
