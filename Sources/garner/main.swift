import Client

App.main()
