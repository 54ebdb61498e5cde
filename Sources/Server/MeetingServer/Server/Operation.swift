import Basics
import FoundationEssentials
import Meetings

/// The work besides meetings: keeps events, sends webhooks, samples quality, purges old records.
final class Operation: Sendable {
  let events: RoomEvents
  let counters = OperationCounters()
  let quality = QualityHistory()
  let limits: AddressLimits
  let tokens: TokenUsageLog
  private let limitCounters: LimitCounters
  private let store: any MeetingStore
  private let dispatcher: WebhookDispatcher
  private let settings: WebhookSettings
  private let log: Log
  private let journal: Task<Void, Never>
  private let sampling: Task<Void, Never>

  init(
    store: any MeetingStore, settings: WebhookSettings, addressRate: Int?, addressWriteRate: Int?,
    limits: LimitCounters, log: Log
  ) {
    self.store = store
    limitCounters = limits
    events = RoomEvents(dropped: counters.eventsLost)
    self.limits = AddressLimits(
      perSecond: addressRate, writesPerSecond: addressWriteRate, counters: counters, limitCounters: limits)
    self.settings = settings
    tokens = TokenUsageLog(store: store, log: log)
    self.log = log
    let dispatcher = WebhookDispatcher(store: store, settings: settings, counters: counters, log: log)
    self.dispatcher = dispatcher
    let journal = EventJournal(
      events: events, store: store, quality: quality, counters: counters, log: log, wake: { await dispatcher.wake() })
    events.expectReader()
    self.journal = Task { await journal.run() }
    sampling = Task { [quality] in await quality.run() }
    upkeep = Task { await Self.keepUp(store, log) }
  }

  private let upkeep: Task<Void, Never>

  /// Begins to send the waiting deliveries.
  func start() async { await dispatcher.start() }

  /// Stops once every event is stored; waiting deliveries are sent after the next start. Call it before the store is
  /// closed.
  func stop() async {
    events.end()
    sampling.cancel()
    upkeep.cancel()
    await journal.value
    await dispatcher.stop()
    await tokens.flush()
  }

  deinit {
    events.end()
    sampling.cancel()
    upkeep.cancel()
  }

  /// The API of the admin interface.
  func api(
    _ gate: AdminGate, directory: MeetingDirectory, mailboxes: MailboxHub, authority: JoinAuthority,
    passcodes: PasscodeGuard,
    encryption: EncryptionPolicy
  ) -> AdminAPI {
    AdminAPI(
      gate: gate, store: store, directory: directory, mailboxes: mailboxes, authority: authority, passcodes: passcodes,
      encryption: encryption, quality: quality, allowedHosts: settings.allowedHosts, counters: counters,
      limits: limitCounters, log: log,
      wake: { [dispatcher] in await dispatcher.wake() })
  }

  private static func keepUp(_ store: any StoreMaintenance, _ log: Log) async {
    repeat {
      do throws(MeetingStoreError) {
        let rows = try await store.purgeOperation(now: Date())
        if rows > 0 { log.debug("purged", ["operationRows": rows]) }
      } catch .closed {
        return
      } catch {
        log.error("store.upkeep", ["reason": error.description])
      }
    } while (try? await Task.sleep(for: .seconds(600))) != nil
  }
}
