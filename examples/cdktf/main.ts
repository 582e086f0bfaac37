import { App } from 'cdktf';
import { Accounts } from './accounts';
import { Orders } from './orders';

const app = new App();
new Orders(app, 'orders');
new Accounts(app, 'accounts');
app.synth();
