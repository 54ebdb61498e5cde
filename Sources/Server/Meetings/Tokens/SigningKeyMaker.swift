public import FoundationEssentials

/// Makes the key pair of a new tenant on a thread of its own, which ends with it.
///
/// Finding two primes takes a tenth of a second of CPU, sometimes ten times as long. On the store's thread or on
/// Swift's shared pool everybody would wait for that.
public actor SigningKeyMaker {
  private let thread = SerialThread()

  /// A maker for one key.
  public init() {}

  deinit { thread.stop() }

  /// The maker's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Calls ``Tenant/make(name:isDefault:policy:now:)``.
  public func tenant(name: String, isDefault: Bool = false, policy: TenantPolicy, now: Date) throws -> Tenant {
    try Tenant.make(name: name, isDefault: isDefault, policy: policy, now: now)
  }
}
