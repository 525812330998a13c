import Testing

@testable import FlagTable
@testable import Interface

@Suite("What a row says its settings are for")
struct RowScopeTests {
  @Test("Of the command alone is what is no option of a fetch")
  func scopes() {
    let ofFetch = TableTests.commands[0].flags
    for (words, command, _) in TableTests.commands.dropFirst() {
      for flag in command.flags {
        #expect((flag.scope == .command) == !ofFetch.hasRow(of: flag), "\(words) --\(flag.name)")
      }
    }
  }

  @Test("An option of output is for what is delivered, or for a command that delivers nothing, too")
  func output() {
    let all = TableTests.commands[0].flags.filter { $0.theme == .output }.map(\.name)
    let (delivery, prefetch) = (OutputFlags.ofDelivery.map(\.name), OutputFlags.ofPrefetch.map(\.name))
    #expect(Set(delivery).isDisjoint(with: prefetch) && all.sorted() == (delivery + prefetch).sorted())
  }
}
