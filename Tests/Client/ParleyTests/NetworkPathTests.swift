import Testing

@testable import Parley

/// Whether the way to everywhere else is a mobile one.
struct NetworkPathTests {
  private let head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n"

  @Test("the default route of lowest metric decides; without one it is no mobile network")
  func routes() {
    let modem = "wwan0\t00000000\t0101A8C0\t0003\t0\t0\t700\t00000000\n"
    let cable = "eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\n"
    let local = "ppp0\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\n"
    #expect(NetworkPath.isCellular(head + modem))
    #expect(!NetworkPath.isCellular(head + modem + cable))
    #expect(!NetworkPath.isCellular(head + local))
    for nonsense in ["", "x", head, head + "wwan0\n", head + "wwan0 00000000 0 0 0 0 x 0\n\n\t\t\t"] {
      #expect(NetworkPath.isCellular(nonsense) == nonsense.contains("0 0 x"))
    }
  }
}
