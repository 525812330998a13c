import Testing

@testable import FlagTable
@testable import Interface

@Suite("The scope of the options in the table")
struct RowScopeTests {
  @Test("An option has the scope of a command exactly if a fetch does not have it")
  func scopes() {
    let ofFetch = TableTests.commands[0].flags
    for (words, command, _) in TableTests.commands.dropFirst() {
      for flag in command.flags {
        #expect((flag.scope == .command) == !ofFetch.hasRow(of: flag), "\(words) --\(flag.name)")
      }
    }
  }

  @Test("Each output option is either for delivery only or also for prefetch")
  func output() {
    let all = TableTests.commands[0].flags.filter { $0.theme == .output }.map(\.name)
    let (delivery, prefetch) = (OutputFlags.ofDelivery.map(\.name), OutputFlags.ofPrefetch.map(\.name))
    #expect(Set(delivery).isDisjoint(with: prefetch) && all.sorted() == (delivery + prefetch).sorted())
  }
}
